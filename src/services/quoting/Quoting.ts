/**
 * From a decoded request to an executable, stored quote, or to a price that binds nobody.
 *
 * Gathers facts from the ports, plans, prices, signs, and answers only what is stored: every quote that a client has
 * seen is a transfer that the worker knows. A price stops before the signature, and stores nothing. Deposits are handled
 * by `Filling`.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Chains } from "../../../ports/chain/Chains.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { AddressesExhausted } from "../../../ports/store/orders/DepositKeys.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { OrderSigner } from "../../../ports/signing/OrderSigner.ts"
import { PermitTokens } from "../../../ports/chain/PermitTokens.ts"
import type { PriceUnavailable } from "../../../ports/market/Prices.ts"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { DepositUnfit, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { ApiKey } from "../../domain/api-key/ApiKey.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { ChainId } from "../../domain/chain/ChainId.ts"
import { usdFloor } from "../../domain/money/Currency.ts"
import type { Order, OrderId } from "../../domain/order/Order.ts"
import type { PermitTerms } from "../../domain/permit/Permit.ts"
import { assembleQuote } from "../../domain/quote/assemble/AssembleQuote.ts"
import { QuoteRefused } from "../../domain/quote/QuoteError.ts"
import type { QuoteRequest } from "../../domain/quote/request/QuoteRequest.ts"
import { PERMIT2 } from "../../domain/quote/request/RequestLimits.ts"
import { resolveRequest } from "../../domain/quote/request/ResolveRequest.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import { timeEstimate } from "../../domain/quote/assemble/TimeEstimate.ts"
import type { Price } from "../../domain/quote/wire/Price.ts"
import type { Quote } from "../../domain/quote/wire/Quote.ts"
import { newTransfer } from "../../domain/transfer/NewTransfer.ts"
import type { RequestId } from "../../domain/transfer/RequestId.ts"
import { makeRequestId } from "../../domain/transfer/RequestId.ts"
import { anchorChain } from "../deposits/watch/AnchorChain.ts"
import { Policy } from "../operations/Policy.ts"
import { countQuote } from "../operations/Meters.ts"
import { spanned } from "../../../ports/Spanned.ts"
import { keepCalldata } from "./KeepCalldata.ts"
import { coverCalls } from "./CoverCalls.ts"
import { addressFor, wayOf } from "./DepositWays.ts"
import { CheckedConfiguration, refuseUnserving } from "../operations/CheckedConfiguration.ts"
import { routeSwaps, swapsFirst } from "./PricedRoute.ts"
import { priceRoute } from "./PriceRoute.ts"
import type { Pricing } from "./PriceRoute.ts"
import type { PricedRoute } from "./PricedRoute.ts"
import { orderInMind, promiseOf, signOrder } from "./SignOrder.ts"
import { planQuote } from "../../domain/quote/QuotePlan.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { protocolOf } from "./ProtocolOf.ts"
import { usedBy } from "./UsedBy.ts"
import { refusedDeposit, unfitDeposit, withoutPermits } from "./Refusals.ts"

/** The product's names on the wire. */
export interface QuotingNames {
  /** The service component (SERVICE_COMPONENT_NAME). */
  readonly service: string
  /** The router's name on a route without swaps. */
  readonly router: string
  /** The status path of requests that later deposits at an open address make. */
  readonly statusPath: string
}

/** `AddressesExhausted`: the stock of key-derived deposit addresses is empty. */
export type QuoteFailure =
  | QuoteRefused
  | ChainUnavailable
  | PriceUnavailable
  | SignerUnavailable
  | StoreUnavailable
  | AddressesExhausted

export class Quoting extends Context.Service<Quoting, {
  /** A new request id. It is known before anything is decided, so that every answer can carry it. */
  readonly newRequestId: Effect.Effect<RequestId>
  readonly quote: (
    requestId: RequestId,
    request: QuoteRequest,
    /** The caller's key. Undefined without one. */
    key: ApiKey | undefined,
    /** Path of the status endpoint; the id is appended as its query. */
    statusPath: string
  ) => Effect.Effect<Quote, QuoteFailure>
  /**
   * What `quote` would say of the same request now. Signs, stores and reserves nothing, and takes no deposit address.
   * `fees.gas` and `details.userBalance` are zero when the user's wallet could not make the deposit now, which a quote
   * refuses.
   */
  readonly price: (
    request: QuoteRequest,
    key: ApiKey | undefined
  ) => Effect.Effect<Price, Exclude<QuoteFailure, AddressesExhausted | SignerUnavailable>>
  /**
   * The order of a request that a later deposit at an open address makes. It is stored like any other.
   * SPONSOR_BUDGET_EXCEEDED above the request's cap: nobody is present to be shown that the user pays all fees instead.
   */
  readonly quoteLater: (
    at: KeptAddress,
    request: QuoteRequest,
    key: ApiKey | undefined
  ) => Effect.Effect<OrderId, Exclude<QuoteFailure, AddressesExhausted>>
}>()("causeway/services/Quoting") {}

const aboveLater = new QuoteRefused({
  code: "SPONSOR_BUDGET_EXCEEDED",
  field: "maxSubsidizationAmount",
  message: "the fees are above what a sponsor pays for this deposit"
})

/** In local networks a client may ask for a refund by this referrer, to see one (STATUS-9). */
const FORCE_REFUND = "force-refund"

/** A request for a quote, with its caller and ids. */
interface Asked {
  readonly requestId: RequestId
  readonly body: QuoteRequest
  readonly key: ApiKey | undefined
  readonly statusPath: string
  /** The open address to which a later deposit came. */
  readonly at: KeptAddress | undefined
}

/** What a price depends on. */
type Priceable = Pick<Asked, "at" | "body" | "key">

/** What the user is to sign, without the order. Undefined when it sends a transaction. */
const permitOf = Effect.fnUntraced(function*({ origin, originCurrency, permit: asked, user }: ResolvedRequest) {
  if (asked === undefined) return undefined
  const way = yield* (yield* PermitTokens).wayOf(origin, originCurrency, user)
  if (way === undefined) return yield* withoutPermits(originCurrency)
  const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  return {
    ...way,
    forwarder: asked.forwarder,
    deadline: seconds + asked.expirySeconds,
    ...(asked.gasOverhead === 0n ? {} : { gasOverhead: asked.gasOverhead })
  } satisfies PermitTerms
})

/** The parts of a priced route that are stored with its transfer. */
const termsOf = (
  request: ResolvedRequest,
  route: PricedRoute,
  { before, bounds, callsMost }: ReturnType<typeof promiseOf>
) => ({
  send: route._tag === "Send",
  userSwap: route._tag === "UserSwap" ? route.swap.call : undefined,
  originSwap: before && {
    source: before.source,
    currency: request.originCurrency.address,
    amountIn: before.amountIn,
    minimum: before.minimum
  },
  destinationSwap: route._tag === "Delivered" ? route.swapped : undefined,
  refundBounds: callsMost === 0n ? undefined : bounds
})

/** A request with its price: the part that a price and a quote have in common. */
const priceAsked = Effect.fnUntraced(function*(names: QuotingNames, { at, body, key }: Priceable) {
  const policy = yield* Policy
  const { all } = yield* Chains
  const { accountsOn } = yield* SentTransactions
  const request = yield* Effect.fromResult(resolveRequest(body, all, {
    ...policy.limits,
    serviceName: names.service,
    refusedTargets: [(yield* OrderSigner).solver, ...all.flatMap(accountsOn), PERMIT2]
  }))
  const plan = yield* Effect.fromResult(planQuote(body, request))
  const pricing: Pricing = { request, key, permit: yield* permitOf(request) }
  const route: PricedRoute = yield* priceRoute(plan, pricing, body)
  if (at !== undefined && route.price.priced.split?.outcome === "above-cap") return yield* aboveLater
  const agreement = route._tag === "Delivered" ? route.agreement : undefined
  yield* refuseUnserving(
    yield* CheckedConfiguration,
    usedBy(request, route.fill.request, agreement === undefined ? undefined : yield* SettlementChain)
  )
  const promise = promiseOf(route)
  yield* coverCalls(promise.amountIn, promise.bounds, route.fill.market.origin)
  return { pricing, route, promise }
})
type PricedAsked = Effect.Success<ReturnType<typeof priceAsked>>

/** The user's transaction, or the signature that replaces it. Fails as the chain refuses it. */
const prepareDeposit = Effect.fnUntraced(
  function*(at: KeptAddress | undefined, { pricing: { permit, request }, promise, route }: PricedAsked) {
    const steps = yield* StepBuilder
    return yield* steps.prepare({
      origin: request.origin,
      currency: request.originCurrency,
      amount: promise.before?.most ?? route.price.priced.amountIn,
      user: request.user,
      way: wayOf(request, at, permit, route),
      feePayer: request.depositFeePayer,
      computeUnitLimit: request.computeUnitLimit,
      userPublicKey: request.userPublicKey
    })
  }
)

/** The reasons that are the wallet's, not the request's: with money in it the same deposit could be made. */
const isUnfunded = ({ reason }: DepositUnfit): boolean =>
  reason._tag === "UserUnfunded" || reason._tag === "FeePayerUnfunded" || reason._tag === "TooManyCoins"

/** What the deposit costs the user's wallet. A wallet that could not make it costs nothing, and is no reason to refuse. */
const walletOf = (found: PricedAsked) => {
  const nothing = { gas: 0n, userBalance: 0n }
  return Effect.catchTags(
    Effect.map(prepareDeposit(undefined, found), ({ gas, userBalance }) => ({ gas, userBalance })),
    {
      DepositRefused: () => Effect.succeed(nothing),
      DepositUnfit: (unfit) => isUnfunded(unfit) ? Effect.succeed(nothing) : Effect.fail(unfitDeposit(unfit))
    }
  )
}

/** The answer without steps and order. */
const shownOf = Effect.fnUntraced(function*(
  names: QuotingNames,
  body: QuoteRequest,
  { pricing: { request }, route }: PricedAsked,
  { inputs }: Order,
  { gas, userBalance }: Pick<PreparedDeposit, "gas" | "userBalance">
) {
  const policy = yield* Policy
  const { market, price: { minimumOut, priced, slippage } } = route
  const delivered = route._tag === "Delivered" ? route : undefined
  return {
    request,
    priced,
    minimumOut,
    slippage,
    leastRefund: inputs[0]?.refunds[0]?.minimumAmount,
    ...market,
    originGas: gas,
    userBalance,
    cap: request.sponsorship?.cap,
    fixedRate: request.fixedRate,
    timeEstimateSeconds: timeEstimate(request.origin, request.destination, usdFloor(priced.amountIn, market.origin)) +
      (delivered?.waits === true ? policy.externalLiquiditySeconds : 0),
    serviceName: names.service,
    routerName: names.router,
    swaps: routeSwaps(route),
    swapsFirst: swapsFirst(route),
    ...(body.useFallbacks === true ? { fallbackType: delivered?.swapped === undefined ? "none" : "bridged" } : {})
  }
})

/**
 * The head before the transfer exists: nobody can have paid an id earlier than it was made. Undefined where nothing is
 * scanned for.
 */
const headBefore = Effect.fnUntraced(function*(chain: Chain, { _tag }: PricedRoute) {
  const watcher = yield* DepositWatcher
  return _tag === "Delivered" || chain.family.scansSends === false ? undefined : yield* watcher.head(chain)
})

/** Stores the quote. Nothing can refuse it after this. */
const store = Effect.fnUntraced(
  function*({ at, body, key }: Asked, origin: Chain, route: PricedRoute, transfer: Transfer) {
    // A later deposit at an address has already paid for its calldata.
    if (at === undefined) yield* keepCalldata(body, key)
    const before = yield* headBefore(origin, route)
    yield* (yield* Transfers).add(transfer)
    if (before !== undefined) yield* (yield* DirectPayments).anchor(origin.id, before)
  }
)

/** From the request to a stored quote: price, sign, store. */
const makeQuote = Effect.fnUntraced(function*(
  names: QuotingNames,
  ensureAnchored: ReturnType<typeof anchoring>,
  asked: Asked
) {
  const { at, body, key, requestId, statusPath } = asked
  const policy = yield* Policy
  const found = yield* priceAsked(names, asked)
  const { pricing: { permit, request }, promise, route } = found
  const { fill } = route
  yield* ensureAnchored(request.origin)
  const deposit = yield* Effect.catchTags(prepareDeposit(at, found), {
    DepositRefused: (refused) => Effect.fail(refusedDeposit(refused)),
    DepositUnfit: (unfit) => Effect.fail(unfitDeposit(unfit))
  })
  const now = yield* Clock.currentTimeMillis
  const signed = yield* signOrder(route, now, promise)
  const depositAddress = yield* addressFor(request, signed.orderId, at)
  const quote = assembleQuote({
    ...(yield* shownOf(names, body, found, signed.order, deposit)),
    steps: deposit.steps({
      orderId: signed.orderId,
      requestId,
      depositAddress,
      checkEndpoint: `${statusPath}?requestId=${requestId}`
    }),
    protocol: request.includeProtocolData ? protocolOf(fill.request, signed, promise.amountIn) : undefined
  })
  const transfer = newTransfer({
    id: requestId,
    depositAddress,
    apiKeyId: key?.id,
    ...signed,
    request: fill.request,
    body,
    permit,
    priced: fill.price.priced,
    minimumOut: fill.price.minimumOut,
    quote,
    sponsorship: route._tag === "Delivered" ? route.agreement : undefined,
    waitSeconds: policy.externalLiquiditySeconds,
    now,
    ...termsOf(request, route, promise),
    forceRefund: policy.forceRefund && body.referrer === FORCE_REFUND
  })
  yield* store(asked, request.origin, route, transfer)
  return { quote, orderId: signed.orderId }
}, spanned("Quoting.quote"))

/** The quote's figures, from an order that nobody signs (QUOTE-8). */
const makePrice = Effect.fnUntraced(function*(names: QuotingNames, asked: Priceable) {
  const found = yield* priceAsked(names, asked)
  const wallet = yield* walletOf(found)
  const order = yield* orderInMind(found.route, yield* Clock.currentTimeMillis, found.promise)
  const shown = yield* shownOf(names, asked.body, found, order, wallet)
  const { steps: _, ...price } = assembleQuote({ ...shown, steps: [], protocol: undefined })
  return price satisfies Price
}, spanned("Quoting.price"))

/** Remembers which chains have a cursor: the store is asked once for each. */
const anchoring = () => {
  const anchored = new Set<ChainId>()
  return Effect.fnUntraced(function*(chain: Chain) {
    if (anchored.has(chain.id)) return
    if ((yield* (yield* Deposits).cursor(chain.id)) === undefined) yield* anchorChain(chain)
    anchored.add(chain.id)
  })
}

const counted = <A, E extends QuoteFailure, R>(quoted: Effect.Effect<A, E, R>) =>
  quoted.pipe(
    Effect.tap(() => countQuote("quoted")),
    Effect.tapError((failure) => countQuote(failure._tag === "QuoteRefused" ? failure.code : failure._tag))
  )

const newRequestId = Effect.gen(function*() {
  return makeRequestId(yield* Clock.currentTimeMillis, yield* (yield* SecureRandom).randomBytes(24))
})

export const layer = (names: QuotingNames) =>
  Layer.effect(
    Quoting,
    Effect.gen(function*() {
      const ensureAnchored = anchoring()
      const quote = (asked: Asked) => counted(makeQuote(names, ensureAnchored, asked))
      const price = (asked: Priceable) => makePrice(names, asked)
      const random = yield* SecureRandom
      const ports = yield* Effect.context<Effect.Services<ReturnType<typeof quote> | ReturnType<typeof price>>>()
      return Quoting.of({
        newRequestId: Effect.provideService(newRequestId, SecureRandom, random),
        quote: (requestId, body, key, statusPath) =>
          quote({ requestId, body, key, statusPath, at: undefined }).pipe(
            Effect.map((made) => made.quote),
            Effect.provide(ports)
          ),
        price: (body, key) => Effect.provide(price({ body, key, at: undefined }), ports),
        quoteLater: (at, body, key) =>
          newRequestId.pipe(
            Effect.flatMap((requestId) => quote({ requestId, body, key, statusPath: names.statusPath, at })),
            Effect.map((made) => made.orderId),
            // It already has an address.
            Effect.catchTag("AddressesExhausted", Effect.die),
            Effect.provide(ports)
          )
      })
    })
  )
