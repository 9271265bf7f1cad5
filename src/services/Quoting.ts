/**
 * From a decoded request to an executable, stored quote (architecture, "The two flows").
 *
 * Gathers facts from the ports, lets the domain decide, and answers only what is durable: a quote that a client has
 * seen is a transfer that the worker knows. Not for deposits: that is `Filling`.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Budgets } from "../../ports/Budgets.ts"
import { Chains } from "../../ports/Chains.ts"
import { SettlementChain } from "../../ports/SettlementChain.ts"
import type { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import { DepositWatcher } from "../../ports/DepositWatcher.ts"
import type { KeptAddress } from "../../ports/DepositAddresses.ts"
import { Deposits } from "../../ports/Deposits.ts"
import { Gas } from "../../ports/Gas.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { OrderSigner } from "../../ports/OrderSigner.ts"
import { PermitTokens } from "../../ports/PermitTokens.ts"
import { Prices } from "../../ports/Prices.ts"
import type { PriceUnavailable } from "../../ports/Prices.ts"
import { Promises } from "../../ports/Promises.ts"
import { Sends } from "../../ports/Sends.ts"
import { SwapSources } from "../../ports/SwapSources.ts"
import { StepBuilder } from "../../ports/StepBuilder.ts"
import type { DepositRefused, DepositWay } from "../../ports/StepBuilder.ts"
import type { StoreUnavailable } from "../../ports/StoreUnavailable.ts"
import { Transfers } from "../../ports/Transfers.ts"
import { Treasury } from "../../ports/Treasury.ts"
import type { PaymentRefused } from "../../ports/Treasury.ts"
import type { ApiKey } from "../domain/api-key/ApiKey.ts"
import { findChainBySlug } from "../domain/chain/Chain.ts"
import type { Chain } from "../domain/chain/Chain.ts"
import type { ChainId, ChainSlug } from "../domain/chain/ChainId.ts"
import { hex32FromDigest } from "../domain/chain/Hex.ts"
import { computeDepositAddress } from "../domain/deposit-address/DepositAddress.ts"
import { convertCeil, usdFloor } from "../domain/money/Currency.ts"
import { maxOf } from "../domain/money/Rounding.ts"
import type { Currency } from "../domain/money/Currency.ts"
import { freeForNew, willWait } from "../domain/market/FreeInventory.ts"
import { Order } from "../domain/order/Order.ts"
import type { OrderId } from "../domain/order/Order.ts"
import { orderId } from "../domain/order/OrderId.ts"
import type { PermitTerms } from "../domain/permit/Permit.ts"
import type { Agreement } from "../domain/sponsorship/Agreement.ts"
import { totalAppBps } from "../domain/quote/AppFees.ts"
import type { RouteSwaps } from "../domain/quote/AssembleDetails.ts"
import { assembleQuote } from "../domain/quote/AssembleQuote.ts"
import { buildOrder } from "../domain/quote/BuildOrder.ts"
import { checkCallValues } from "../domain/quote/DestinationCalls.ts"
import { priceRequest } from "../domain/quote/PriceRequest.ts"
import type { PricedRequest } from "../domain/quote/PriceRequest.ts"
import { QuoteRefused } from "../domain/quote/QuoteError.ts"
import type { QuoteRequest } from "../domain/quote/QuoteRequest.ts"
import { destinationRefundBound, originRefundBound } from "../domain/quote/RefundBound.ts"
import { PERMIT2 } from "../domain/quote/RequestLimits.ts"
import type { RequestLimits } from "../domain/quote/RequestLimits.ts"
import { resolveRequest } from "../domain/quote/ResolveRequest.ts"
import type { ResolvedRequest } from "../domain/quote/ResolveRequest.ts"
import { checkSend, isSend, priceSend } from "../domain/quote/Send.ts"
import { checkSwaps, isDestinationSwap, isUserSwap } from "../domain/quote/UserSwap.ts"
import { timeEstimate } from "../domain/quote/TimeEstimate.ts"
import type { Quote } from "../domain/quote/wire/Quote.ts"
import { newTransfer } from "../domain/transfer/NewTransfer.ts"
import type { RequestId } from "../domain/transfer/RequestId.ts"
import { makeRequestId } from "../domain/transfer/RequestId.ts"
import { anchorChain } from "./AnchorChain.ts"
import { quoteDestinationSwap } from "./DestinationSwapping.ts"
import { gatherMarketFacts, holdingFor, tentativeFill } from "./MarketFacts.ts"
import type { MarketFacts } from "./MarketFacts.ts"
import { Policy } from "./Policy.ts"
import { countQuote } from "./Meters.ts"
import { quoteUserSwap } from "./UserSwapping.ts"
import { agreeOnSponsor, sponsorshipTerms } from "./Sponsoring.ts"

/** How the product names itself on the wire. */
export interface QuotingNames {
  /** The service component (SERVICE_COMPONENT_NAME). */
  readonly service: string
  /** The router of a route without swaps. */
  readonly router: string
  /** Path at which requests that nobody asked for by hand are polled: those of later deposits at an open address. */
  readonly statusPath: string
}

export type QuoteFailure = QuoteRefused | ChainUnavailable | PriceUnavailable | StoreUnavailable

export class Quoting extends Context.Service<Quoting, {
  /** A fresh id for a request, known before anything is decided so that every answer can carry it. */
  readonly newRequestId: Effect.Effect<RequestId>
  readonly quote: (
    requestId: RequestId,
    request: QuoteRequest,
    /** The key that came with it; undefined without one. */
    key: ApiKey | undefined,
    /** Path at which the request's status is polled; the id is appended as its query. */
    statusPath: string
  ) => Effect.Effect<Quote, QuoteFailure>
  /** The order of a request that a later deposit at an open address makes; stored like every other. */
  readonly quoteLater: (at: KeptAddress, request: QuoteRequest, key: ApiKey | undefined) => Effect.Effect<OrderId, QuoteFailure>
}>()("causeway/services/Quoting") {}

const encodeOrder = Schema.encodeSync(Order)

/** True where one of the request's own calls failed. */
const isCall = ({ calls }: ResolvedRequest, failed: PaymentRefused["failed"]): boolean => calls.some(({ to }) => to === failed?.call.to)

/** The fill was tried on the chain as it would be made. */
const refusedFill = (request: ResolvedRequest, { failed, reason }: PaymentRefused): QuoteRefused => {
  const shown = failed === undefined ? {} : { failed }
  // Either the calls, or the topup that is paid before them.
  if (request.calls.length > 0 && reason === "reverts" && (request.topup === undefined || isCall(request, failed))) {
    return new QuoteRefused({
      code: "DESTINATION_TX_FAILED",
      field: "txs",
      message: "txs: the calls were simulated with the output of this quote, and revert or take more gas than txsGasLimit or the chain allows",
      ...shown
    })
  }
  if (reason === "insufficient-funds") return illiquid(request)
  if (request.topup !== undefined) {
    return new QuoteRefused({
      code: "INVALID_RECIPIENT",
      field: "topupGas",
      message: "topupGas: recipient is a contract that takes no native currency, or wants more gas for it than is given: leave topupGas out, or name another recipient",
      ...shown
    })
  }
  return new QuoteRefused({
    code: "INVALID_RECIPIENT",
    field: "recipient",
    message: "recipient or refundTo is a contract that does not take a plain payment, or wants more gas for it than is given: name another",
    ...shown
  })
}

/** `short`: of which there is not enough, where that is known. */
const illiquid = ({ destination, destinationCurrency, origin, originCurrency, topup }: ResolvedRequest, short?: Currency) =>
  new QuoteRefused({
    code: "INSUFFICIENT_LIQUIDITY",
    field: short === destination.native && topup !== undefined ? "topupGas" : "amount",
    message: `not enough ${short?.symbol ?? (topup === undefined ? destinationCurrency.symbol : `${destinationCurrency.symbol} or ${destination.native.symbol}`)} on ${destination.name}, or no ${originCurrency.symbol} on ${origin.name} to refund from, now: ask for less, or later`
  })

const withoutPermits = ({ symbol }: Currency) =>
  new QuoteRefused({ code: "INVALID_REQUEST", field: "usePermit", message: `usePermit: ${symbol}, the originCurrency, can be deposited by no permit here` })

const refusedDeposit = ({ call, block, message }: DepositRefused) =>
  new QuoteRefused({ code: "INVALID_REQUEST", field: "user", message: `user: ${message}; is the account or the token blocked?`, failed: { call, block } })

const wayOf = (request: ResolvedRequest, at: KeptAddress | undefined, permit: PermitTerms | undefined, swap: OwnSwap | undefined): DepositWay => {
  if (swap !== undefined) return { _tag: "Swap", ...swap }
  if (isSend(request)) return { _tag: "Send", recipient: request.recipient }
  if (permit !== undefined) return { _tag: "Permit", terms: permit }
  if (request.depositAddress !== undefined) return { _tag: "Address", ...request.depositAddress, address: at?.address }
  return { _tag: request.explicitDeposit ? "Depository" : "Transfer" }
}

type Swapped = Effect.Success<ReturnType<typeof quoteDestinationSwap>>

/** A price with the facts that it rests on, in the currencies that the answer shows. */
interface Found {
  readonly market: MarketFacts
  readonly price: PricedRequest
  readonly agreement: Agreement | undefined
  /** The call of a swap that its user carries out. */
  readonly swap?: OwnSwap
  /** What the order is made of where the fill swaps, and what comes out of it. */
  readonly fill?: Swapped["fill"]
  readonly swapped?: Swapped["swapped"]
  /** Its fill would have to wait for inventory now, as it allows; absent where it cannot be. */
  readonly waits?: boolean
}

/** The swaps of the route, as the answer shows them. */
const routeSwaps = ({ fill, market, price, swap, swapped }: Found): RouteSwaps | undefined => {
  if (swap !== undefined) return { origin: { source: swap.source, between: { of: market.destination, amount: price.priced.amountOut, minimum: price.minimumOut } } }
  if (fill === undefined || swapped === undefined) return undefined
  const { market: { destination: of }, price: { minimumOut: minimum, priced: { amountOut: amount } } } = fill
  return { destination: { source: swapped.source, between: { of, amount, minimum } } }
}

type OwnSwap = Effect.Success<ReturnType<typeof quoteUserSwap>>["swap"]

/** In local networks a client may ask for a refund by name, to see one (spec/3 §6, "Test switch"). */
const FORCE_REFUND = "force-refund"

/** Where the order's deposits arrive; undefined where its user names it. `at`: an address that there is already. */
const addressFor = ({ depositAddress: asked }: ResolvedRequest, id: OrderId, at: KeptAddress | undefined) => {
  if (asked === undefined) return Effect.undefined
  return at === undefined ? Effect.orDie(Effect.fromResult(computeDepositAddress({ ...asked, orderId: id }))) : Effect.succeed(at.address)
}

const protocolOf = (
  { origin, originCurrency }: ResolvedRequest,
  { order, orderId, orderSignature }: { readonly order: Order; readonly orderId: OrderId; readonly orderSignature: string },
  amountIn: bigint
) => ({
  v2: {
    orderId,
    hubType: "onchain" as const,
    orderData: encodeOrder(order),
    orderSignature,
    paymentDetails: {
      chainId: origin.slug,
      depository: origin.depository,
      currency: originCurrency.address,
      amount: amountIn.toString()
    }
  }
})

export const layer = (names: QuotingNames) =>
  Layer.effect(
    Quoting,
    Effect.gen(function*() {
      const chains = yield* Chains
      const settlementChain = yield* SettlementChain
      const { chain: settlement } = settlementChain
      const transfers = yield* Transfers
      const treasury = yield* Treasury
      const steps = yield* StepBuilder
      const signer = yield* OrderSigner
      const random = yield* SecureRandom
      const prices = yield* Prices
      const gas = yield* Gas
      const permitTokens = yield* PermitTokens
      const promises = yield* Promises
      const policy = yield* Policy
      const facts = Context.mergeAll(Context.make(Prices, prices), Context.make(Gas, gas))
      const swapping = Context.mergeAll(facts, Context.make(SwapSources, yield* SwapSources), Context.make(Policy, policy))
      const limits: RequestLimits = { ...policy.limits, serviceName: names.service, refusedTargets: [signer.solver, PERMIT2] }
      const sponsoring = Context.mergeAll(
        Context.make(SettlementChain, settlementChain),
        Context.make(Ledger, yield* Ledger),
        Context.make(Budgets, yield* Budgets)
      )
      const deposits = yield* Deposits
      const watcher = yield* DepositWatcher
      const sends = yield* Sends
      const watching = Context.mergeAll(Context.make(Deposits, deposits), Context.make(DepositWatcher, watcher))
      const familyOf = (slug: ChainSlug) => findChainBySlug(chains.all, slug)?.family

      /** Chains known to have a cursor; the store is asked once for each. */
      const anchored = new Set<ChainId>()
      const ensureAnchored = Effect.fnUntraced(function*(chain: Chain) {
        if (anchored.has(chain.id)) return
        if ((yield* deposits.cursor(chain.id)) === undefined) yield* Effect.provide(anchorChain(chain), watching)
        anchored.add(chain.id)
      })

      const newRequestId = Effect.gen(function*() {
        return makeRequestId(yield* Clock.currentTimeMillis, yield* random.randomBytes(24))
      })

      /**
       * INSUFFICIENT_LIQUIDITY unless the holding that would pay has enough beside what is promised to open requests; true for
       * a request that lets its fill wait, and will have to.
       */
      const checkInventory = Effect.fnUntraced(function*(request: ResolvedRequest, amountOut: bigint, { fillGas, topupUnits = 0n }: MarketFacts) {
        const { destination, destinationCurrency, externalLiquidity } = request
        const holding = holdingFor(request)
        const isShort = Effect.fnUntraced(function*(currency: Currency, needed: bigint) {
          const of = { chainId: destination.id, currency: currency.address, holding }
          const [inventory, promised, waiting] = yield* Effect.all([
            treasury.inventory(destination, currency, holding),
            promises.total(of),
            promises.waiting(of)
          ], { concurrency: "unbounded" })
          const now = yield* Clock.currentTimeMillis
          const held = { inventory, promised, waiting }
          return externalLiquidity ? willWait(held, needed, now) : needed > freeForNew(held, now)
        })
        const needed = amountOut + (destinationCurrency.isNative && holding === "account" ? fillGas : 0n)
        const short = [
          ...((yield* isShort(destinationCurrency, needed)) ? [destinationCurrency] : []),
          ...(topupUnits > 0n && (yield* isShort(destination.native, topupUnits)) ? [destination.native] : [])
        ]
        const [first] = short
        if (first !== undefined && !externalLiquidity) return yield* illiquid(request, first)
        return short.length > 0
      })

      /** A fill with calls is tried again with exactly what it will pay: they may need all of what was tried first. */
      const checkCalls = Effect.fnUntraced(function*(request: ResolvedRequest, amountOut: bigint) {
        if (request.calls.length === 0) return
        yield* Effect.fromResult(checkCallValues(request.calls, request.destinationCurrency, amountOut))
        if (request.tradeType === "EXACT_INPUT") yield* gas.ofPayment(tentativeFill(request, amountOut))
      })

      /** What the user is to sign, but for the order; undefined where it sends a transaction. */
      const permitOf = Effect.fnUntraced(function*({ origin, originCurrency, permit: asked, user }: ResolvedRequest) {
        if (asked === undefined) return undefined
        const way = yield* permitTokens.wayOf(origin, originCurrency, user)
        if (way === undefined) return yield* withoutPermits(originCurrency)
        const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        return {
          ...way,
          forwarder: asked.forwarder,
          deadline: seconds + asked.expirySeconds,
          ...(asked.gasOverhead === 0n ? {} : { gasOverhead: asked.gasOverhead })
        } satisfies PermitTerms
      })

      const priceFilled = Effect.fnUntraced(function*(request: ResolvedRequest, key: ApiKey | undefined, gasless: PermitTerms | undefined) {
        const sponsorship = yield* sponsorshipTerms(request, key)
        const market = yield* Effect.provide(gatherMarketFacts({ ...request, gasless }, request), facts)
        const price = yield* Effect.fromResult(priceRequest({
          ...market,
          sponsorship,
          appBps: totalAppBps(request.appFees),
          spreadBps: policy.spreadOf(request.originCurrency, request.destinationCurrency),
          fixedRate: request.fixedRate
        }, request, policy.fixedRateMaxBps))
        const waits = yield* checkInventory(request, price.priced.amountOut, market)
        yield* checkCalls(request, price.priced.amountOut)
        return { market, price, waits, agreement: yield* Effect.provide(agreeOnSponsor(request, key, price.priced, market), sponsoring) }
      })

      /** As the fill will be made: with the very calls of the order, from what the vault holds. */
      const priceSwapped = Effect.fnUntraced(function*(request: ResolvedRequest, gasless: PermitTerms | undefined) {
        const found = yield* Effect.provide(quoteDestinationSwap(request, gasless), swapping)
        const { price: { priced: { amountOut } }, request: filled } = found.fill
        yield* checkInventory(filled, amountOut, found.market)
        yield* gas.ofPayment(tentativeFill(filled, amountOut))
        return found
      })

      const priceSent = Effect.fnUntraced(function*(request: ResolvedRequest, body: QuoteRequest) {
        yield* Effect.fromResult(checkSend(body, request))
        const [own, native] = yield* Effect.all([prices.priceOf(request.originCurrency), prices.priceOf(request.origin.native)], { concurrency: "unbounded" })
        const market: MarketFacts = { origin: own, destination: own, originNative: native, destinationNative: native, fillGas: 0n, refundGas: 0n }
        return { market, price: priceSend(request), agreement: undefined }
      })

      const signedOrder = Effect.fnUntraced(function*(request: ResolvedRequest, { minimumOut, priced }: PricedRequest, market: MarketFacts, now: number) {
        const order = yield* Effect.orDie(Effect.fromResult(buildOrder(request, {
          settlement: settlement.slug,
          solver: signer.solver,
          salt: hex32FromDigest(yield* random.randomBytes(32)),
          now: Math.floor(now / 1000),
          amountIn: priced.amountIn,
          amountOut: priced.amountOut,
          minimumOut,
          topup: market.topupUnits ?? 0n,
          originRefundGas: originRefundBound(market),
          destinationRefundGas: destinationRefundBound(market.fillGas, market.destinationNative, market.destination),
          fees: maxOf(0n, convertCeil(priced.amountIn, market.origin, market.destination) - priced.amountOut)
        })))
        const id = yield* Effect.orDie(Effect.fromResult(orderId(order, familyOf)))
        return { order, orderId: id, orderSignature: yield* signer.sign(id) }
      })

      const quote = Effect.fn("Quoting.quote")(function*(
        requestId: RequestId,
        body: QuoteRequest,
        key: ApiKey | undefined,
        statusPath: string,
        at?: KeptAddress
      ): Effect.fn.Return<{ readonly quote: Quote; readonly orderId: OrderId }, QuoteFailure> {
        const request = yield* Effect.fromResult(resolveRequest(body, chains.all, limits))
        yield* Effect.fromResult(checkSwaps(body, request))
        const { origin, originCurrency } = request
        const permit = yield* permitOf(request)
        const pricing = Effect.gen(function*() {
          if (isUserSwap(request)) return yield* Effect.provide(quoteUserSwap(request), swapping)
          if (isDestinationSwap(request)) return yield* priceSwapped(request, permit)
          return isSend(request) ? yield* priceSent(request, body) : yield* priceFilled(request, key, permit)
        })
        const found: Found = yield* pricing.pipe(
          Effect.catchTag("PaymentRefused", (refused) => Effect.fail(refusedFill(request, refused)))
        )
        const { agreement, market, price, swap, swapped, waits = false } = found
        const { minimumOut, priced, slippage } = price
        // What the order is made of: the request itself, unless the fill swaps.
        const fill = found.fill ?? { request, market, price }
        yield* ensureAnchored(origin)
        const intent = { origin, currency: originCurrency, amount: priced.amountIn, user: request.user, way: wayOf(request, at, permit, swap) }
        const costs = yield* steps.originCosts(intent).pipe(Effect.catchTag("DepositRefused", (refused) => Effect.fail(refusedDeposit(refused))))
        const now = yield* Clock.currentTimeMillis
        const signed = yield* signedOrder(fill.request, fill.price, fill.market, now)
        const approvalGas = costs.approvals.reduce((sum, { gasLimit }) => sum + gasLimit, 0n)
        const built = assembleQuote({
          request,
          priced,
          minimumOut,
          slippage,
          ...market,
          originGas: (costs.gasLimit + approvalGas) * costs.maxFeePerGas,
          userBalance: costs.userBalance,
          cap: request.sponsorship?.cap,
          fixedRate: request.fixedRate,
          timeEstimateSeconds: timeEstimate(origin, request.destination, usdFloor(priced.amountIn, market.origin)) + (waits ? policy.externalLiquiditySeconds : 0),
          steps: steps.depositSteps({ ...intent, orderId: signed.orderId, requestId, checkEndpoint: `${statusPath}?requestId=${requestId}` }, costs),
          protocol: request.includeProtocolData ? protocolOf(request, signed, priced.amountIn) : undefined,
          serviceName: names.service,
          routerName: names.router,
          swaps: routeSwaps(found)
        })
        const depositAddress = yield* addressFor(request, signed.orderId, at)
        const parts = { id: requestId, depositAddress, apiKeyId: key?.id, ...signed, request: fill.request, body, permit, priced: fill.price.priced, minimumOut: fill.price.minimumOut, quote: built, sponsorship: agreement, waitSeconds: policy.externalLiquiditySeconds, now }
        // Known before the transfer is: nobody can have carried out earlier what has no id yet.
        const own = isSend(request) || swap !== undefined
        const before = own ? yield* watcher.head(origin) : undefined
        yield* transfers.add(newTransfer({ ...parts, send: isSend(request), userSwap: swap?.call, destinationSwap: swapped, forceRefund: policy.forceRefund && body.referrer === FORCE_REFUND }))
        if (before !== undefined) yield* sends.anchor(origin.id, before)
        return { quote: built, orderId: signed.orderId }
      })

      const counted = <A, E extends QuoteFailure>(quoted: Effect.Effect<A, E>) =>
        quoted.pipe(
          Effect.tap(() => countQuote("quoted")),
          Effect.tapError((failure) => countQuote(failure._tag === "QuoteRefused" ? failure.code : failure._tag))
        )

      return Quoting.of({
        newRequestId,
        quote: (requestId, body, key, statusPath) => Effect.map(counted(quote(requestId, body, key, statusPath)), (made) => made.quote),
        quoteLater: (at, body, key) =>
          Effect.flatMap(newRequestId, (requestId) => Effect.map(counted(quote(requestId, body, key, names.statusPath, at)), (made) => made.orderId))
      })
    })
  )
