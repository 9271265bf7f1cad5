/**
 * From a decoded request to an executable, stored quote, or to a price that binds nobody.
 *
 * Gathers facts from the ports, plans, prices, signs, and answers only what is stored: every quote that a client has
 * seen is a transfer that the worker knows. A price stops before the signature, and stores nothing. Deposits are handled
 * by `Filling`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { AddressesExhausted } from "../../../ports/store/orders/DepositKeys.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import type { PriceUnavailable } from "../../../ports/market/Prices.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { ApiKey } from "../../domain/api-key/ApiKey.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import { assembleQuote } from "../../domain/quote/assemble/AssembleQuote.ts"
import type { QuoteRefused } from "../../domain/quote/QuoteError.ts"
import type { QuoteRequest } from "../../domain/quote/request/QuoteRequest.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import type { Price } from "../../domain/quote/wire/Price.ts"
import type { Quote } from "../../domain/quote/wire/Quote.ts"
import { newTransfer } from "../../domain/transfer/NewTransfer.ts"
import type { RequestId } from "../../domain/transfer/RequestId.ts"
import { makeRequestId } from "../../domain/transfer/RequestId.ts"
import { makeAnchors } from "../deposits/watch/AnchorChains.ts"
import { unlessKnown } from "../../../ports/Known.ts"
import { countQuote } from "../operations/Meters.ts"
import { spanned } from "../../../ports/Spanned.ts"
import { keepCalldata } from "./KeepCalldata.ts"
import { addressFor } from "./DepositWays.ts"
import { deskNow, makeDesk } from "./Desk.ts"
import type { DeskNow, QuotingNames } from "./Desk.ts"
import { prepareDeposit, priceAsked, shownOf, walletOf } from "./PriceAsked.ts"
import type { Priceable } from "./PriceAsked.ts"
import type { PricedRoute } from "./PricedRoute.ts"
import { orderInMind, signOrder } from "./SignOrder.ts"
import type { promiseOf } from "./SignOrder.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { protocolOf } from "./ProtocolOf.ts"
import { refusedDeposit, unfitDeposit } from "./Refusals.ts"

/** `AddressesExhausted`: the stock of key-derived deposit addresses is empty. */
export type QuoteFailure =
  | QuoteRefused
  | ChainUnavailable
  | PriceUnavailable
  | SignerUnavailable
  | StoreUnavailable
  | AddressesExhausted

export type { QuotingNames } from "./Desk.ts"

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

/** In local networks a client may ask for a refund by this referrer, to see one (STATUS-9). */
const FORCE_REFUND = "force-refund"

/** A request for a quote, with its caller and ids. */
interface Asked extends Priceable {
  readonly requestId: RequestId
  readonly statusPath: string
}

/** The parts of a priced route that are stored with its transfer. */
const termsOf = (
  request: ResolvedRequest,
  route: PricedRoute,
  { before, bounds }: ReturnType<typeof promiseOf>
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
  rent: route._tag === "Delivered" ? route.fill.market.rent : undefined,
  codeUnits: route._tag === "Delivered" ? route.fill.market.codeUnits : undefined,
  refundBounds: bounds.calls === 0n ? undefined : bounds
})

/**
 * The head before the transfer exists: nobody can have paid an id earlier than it was made. Undefined where nothing is
 * scanned for.
 */
const headBefore = Effect.fnUntracedEager(function*(chain: Chain, { _tag }: PricedRoute) {
  return _tag === "Delivered" || chain.family.scansSends === false
    ? undefined
    : yield* (yield* DepositWatcher).head(chain)
})

/** Stores the quote. Nothing can refuse it after this. */
const store = Effect.fnUntracedEager(
  function*({ at, body, key }: Asked, origin: Chain, route: PricedRoute, transfer: Transfer) {
    // A later deposit at an address has already paid for its calldata.
    if (at === undefined) yield* keepCalldata(body, key)
    const before = yield* headBefore(origin, route)
    yield* (yield* Transfers).add(transfer, before)
  }
)

/** From the request to a stored quote: price, sign, store. */
const makeQuote = Effect.fnUntracedEager(function*(
  here: DeskNow,
  ensureAnchored: Effect.Success<typeof makeAnchors>,
  asked: Asked
) {
  const { at, body, key, requestId, statusPath } = asked
  const { clock, policy } = here
  const found = yield* priceAsked(here, asked)
  const { pricing: { permit, request }, promise, route } = found
  const { fill } = route
  yield* ensureAnchored(request.origin)
  const deposit = yield* unlessKnown(
    prepareDeposit(at, found),
    Effect.catchTags({
      DepositRefused: (refused) => Effect.fail(refusedDeposit(refused)),
      DepositUnfit: (unfit) => Effect.fail(unfitDeposit(unfit))
    })
  )
  const now = clock.currentTimeMillisUnsafe()
  const signed = yield* signOrder(here, route, now, promise)
  const depositAddress = yield* addressFor(request, signed.orderId, at)
  const quote = assembleQuote({
    ...shownOf(here, body, found, signed.order, deposit),
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
const makePrice = Effect.fnUntracedEager(function*(now: DeskNow, asked: Priceable) {
  const found = yield* priceAsked(now, asked)
  const wallet = yield* walletOf(found)
  const order = yield* orderInMind(now, found.route, now.clock.currentTimeMillisUnsafe(), found.promise)
  const { steps: _, ...price } = assembleQuote({
    ...shownOf(now, asked.body, found, order, wallet),
    steps: [],
    protocol: undefined
  })
  return price satisfies Price
}, spanned("Quoting.price"))

const counted = <A, E extends QuoteFailure, R>(quoted: Effect.Effect<A, E, R>) =>
  quoted.pipe(
    Effect.tap(() => countQuote("quoted")),
    Effect.tapError((failure) => countQuote(failure._tag === "QuoteRefused" ? failure.code : failure._tag))
  )

export const layer = (names: QuotingNames) =>
  Layer.effect(
    Quoting,
    Effect.gen(function*() {
      const desk = yield* makeDesk(names)
      const ensureAnchored = yield* makeAnchors
      const quote = (asked: Asked) => Effect.suspend(() => counted(makeQuote(deskNow(desk), ensureAnchored, asked)))
      const price = (asked: Priceable) => makePrice(deskNow(desk), asked)
      const newRequestId = Effect.map(
        desk.random.take(24),
        (bytes) => makeRequestId(desk.clock.currentTimeMillisUnsafe(), bytes)
      )
      const ports = yield* Effect.context<Effect.Services<ReturnType<typeof quote> | ReturnType<typeof price>>>()
      return Quoting.of({
        newRequestId,
        quote: (requestId, body, key, statusPath) =>
          quote({ requestId, body, key, statusPath, at: undefined }).pipe(
            Effect.map((made) => made.quote),
            Effect.provide(ports)
          ),
        price: (body, key) =>
          Effect.suspend(() => unlessKnown(price({ body, key, at: undefined }), Effect.provide(ports))),
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
