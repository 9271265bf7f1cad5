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
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import { CalldataAllowances } from "../../../ports/store/orders/CalldataAllowances.ts"
import { CallLosses } from "../../../ports/store/ledger/CallLosses.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { DepositKeys } from "../../../ports/store/orders/DepositKeys.ts"
import type { AddressesExhausted } from "../../../ports/store/orders/DepositKeys.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { OrderSigner } from "../../../ports/signing/OrderSigner.ts"
import { PermitTokens } from "../../../ports/chain/PermitTokens.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import type { PriceUnavailable } from "../../../ports/market/Prices.ts"
import { Promises } from "../../../ports/store/orders/Promises.ts"
import { Sends } from "../../../ports/store/orders/Sends.ts"
import { SwapSources } from "../../../ports/chain/SwapSources.ts"
import { StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { PaymentRefused } from "../../../ports/chain/Treasury.ts"
import type { ApiKey } from "../../domain/api-key/ApiKey.ts"
import { findChainBySlug } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { ChainId, ChainSlug } from "../../domain/chain/ChainId.ts"
import { hex32FromDigest } from "../../domain/encoding/Hex.ts"
import { convertCeil, usdFloor } from "../../domain/money/Currency.ts"
import { maxOf } from "../../domain/money/Rounding.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import { orderId } from "../../domain/order/OrderId.ts"
import type { PermitTerms } from "../../domain/permit/Permit.ts"
import { totalAppBps } from "../../domain/quote/pricing/AppFees.ts"
import { assembleQuote } from "../../domain/quote/assemble/AssembleQuote.ts"
import { buildOrder } from "../../domain/quote/assemble/BuildOrder.ts"
import { checkCallValues } from "../../domain/quote/DestinationCalls.ts"
import { priceRequest } from "../../domain/quote/pricing/PriceRequest.ts"
import type { PricedRequest } from "../../domain/quote/pricing/PriceRequest.ts"
import { QuoteRefused } from "../../domain/quote/QuoteError.ts"
import type { QuoteRequest } from "../../domain/quote/request/QuoteRequest.ts"
import { destinationRefundBound, originRefundBound, revertedFillBound } from "../../domain/quote/pricing/RefundBound.ts"
import { PERMIT2 } from "../../domain/quote/request/RequestLimits.ts"
import type { RequestLimits } from "../../domain/quote/request/RequestLimits.ts"
import { resolveRequest } from "../../domain/quote/request/ResolveRequest.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import { checkOriginSwap, isOriginSwap } from "../../domain/quote/OriginSwap.ts"
import { isSend } from "../../domain/quote/Send.ts"
import { checkSwaps, isDestinationSwap, isUserSwap } from "../../domain/quote/UserSwap.ts"
import { timeEstimate } from "../../domain/quote/assemble/TimeEstimate.ts"
import type { Quote } from "../../domain/quote/wire/Quote.ts"
import { newTransfer } from "../../domain/transfer/NewTransfer.ts"
import type { RefundBounds } from "../../domain/transfer/refund/RefundBounds.ts"
import type { RequestId } from "../../domain/transfer/RequestId.ts"
import { makeRequestId } from "../../domain/transfer/RequestId.ts"
import { anchorChain } from "../deposits/watch/AnchorChain.ts"
import { quoteDestinationSwap } from "./DestinationSwapping.ts"
import { gatherMarketFacts, tentativeFill } from "./market/MarketFacts.ts"
import type { MarketFacts } from "./market/MarketFacts.ts"
import { Policy } from "../operations/Policy.ts"
import { countQuote } from "../operations/Meters.ts"
import { quoteUserSwap } from "./UserSwapping.ts"
import { quoteOriginSwap } from "./OriginSwapping.ts"
import { checkInventory } from "./CheckInventory.ts"
import { keepCalldata } from "./KeepCalldata.ts"
import { coverCalls } from "./CoverCalls.ts"
import { addressFor, wayOf } from "./DepositWays.ts"
import { CheckedConfiguration, refuseUnserving } from "../operations/CheckedConfiguration.ts"
import { routeSwaps, swapsFirst } from "./Found.ts"
import type { Found } from "./Found.ts"
import { priceSent } from "./PriceSent.ts"
import { protocolOf } from "./ProtocolOf.ts"
import { usedBy } from "./UsedBy.ts"
import { refusedDeposit, refusedFill, unfitDeposit, withoutPermits } from "./Refusals.ts"
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

/** `AddressesExhausted`: of who asks for an address where each is a key of its own. */
export type QuoteFailure =
  | QuoteRefused
  | ChainUnavailable
  | PriceUnavailable
  | SignerUnavailable
  | StoreUnavailable
  | AddressesExhausted

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
  /**
   * The order of a request that a later deposit at an open address makes; stored like every other.
   * SPONSOR_BUDGET_EXCEEDED above the request's cap, which is what there is for it: nobody is there to be shown that
   * all fees are the user's after all.
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

/** In local networks a client may ask for a refund by name, to see one (STATUS-9). */
const FORCE_REFUND = "force-refund"

export const layer = (names: QuotingNames) =>
  Layer.effect(
    Quoting,
    Effect.gen(function*() {
      const chains = yield* Chains
      const settlementChain = yield* SettlementChain
      const checked = yield* CheckedConfiguration
      const { chain: settlement } = settlementChain
      const transfers = yield* Transfers
      const steps = yield* StepBuilder
      const signer = yield* OrderSigner
      const random = yield* SecureRandom
      const prices = yield* Prices
      const gas = yield* Gas
      const permitTokens = yield* PermitTokens
      const policy = yield* Policy
      const facts = Context.mergeAll(Context.make(Prices, prices), Context.make(Gas, gas))
      const inventory = Context.mergeAll(
        Context.make(Treasury, yield* Treasury),
        Context.make(Promises, yield* Promises)
      )
      const swapping = Context.mergeAll(
        facts,
        inventory,
        Context.make(SwapSources, yield* SwapSources),
        Context.make(Policy, policy)
      )
      const limits: RequestLimits = {
        ...policy.limits,
        serviceName: names.service,
        refusedTargets: [signer.solver, PERMIT2]
      }
      const sponsoring = Context.mergeAll(
        Context.make(SettlementChain, settlementChain),
        Context.make(Ledger, yield* Ledger),
        Context.make(Budgets, yield* Budgets)
      )
      const bearing = Context.mergeAll(Context.make(CallLosses, yield* CallLosses), Context.make(Policy, policy))
      const storing = Context.mergeAll(
        Context.make(CalldataAllowances, yield* CalldataAllowances),
        Context.make(Policy, policy)
      )
      const deposits = yield* Deposits
      const addressing = Context.make(DepositKeys, yield* DepositKeys)
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
       * A fill with calls is tried again with exactly what it will pay: they may need all of what was tried first. The
       * most that it can cost.
       */
      const checkCalls = Effect.fnUntraced(function*(request: ResolvedRequest, amountOut: bigint) {
        if (request.calls.length === 0) return 0n
        yield* Effect.fromResult(checkCallValues(request.calls, request.destinationCurrency, amountOut))
        return yield* gas.mostOfCalls(tentativeFill(request, amountOut))
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

      const priceFilled = Effect.fnUntraced(
        function*(request: ResolvedRequest, key: ApiKey | undefined, gasless: PermitTerms | undefined) {
          const sponsorship = yield* sponsorshipTerms(request, key)
          const market = yield* Effect.provide(gatherMarketFacts({ ...request, gasless }, request), facts)
          const price = yield* Effect.fromResult(priceRequest(
            {
              ...market,
              sponsorship,
              appBps: totalAppBps(request.appFees),
              spreadBps: policy.spreadOf(request.originCurrency, request.destinationCurrency),
              fixedRate: request.fixedRate,
              paid: request.paid
            },
            request,
            policy.fixedRateMaxBps
          ))
          const waits = yield* Effect.provide(checkInventory(request, price.priced.amountOut, market), inventory)
          const callsMost = yield* checkCalls(request, price.priced.amountOut)
          return {
            market,
            price,
            waits,
            callsMost,
            agreement: yield* Effect.provide(agreeOnSponsor(request, key, price.priced, market), sponsoring)
          }
        }
      )

      /**
       * The swap was tried with more than it will take, and asked for what it will; calls that follow it are tried as
       * they will be made.
       */
      const priceSwapped = Effect.fnUntraced(
        function*(request: ResolvedRequest, key: ApiKey | undefined, gasless: PermitTerms | undefined) {
          const sponsorship = yield* sponsorshipTerms(request, key)
          const found = yield* Effect.provide(quoteDestinationSwap(request, gasless, sponsorship), swapping)
          const { price: { priced: { amountOut } }, request: filled } = found.fill
          const waits = yield* Effect.provide(checkInventory(filled, amountOut, found.market), inventory)
          const callsMost = request.calls.length === 0 ? 0n : yield* gas.mostOfCalls(tentativeFill(filled, amountOut))
          return {
            ...found,
            waits,
            callsMost,
            agreement: yield* Effect.provide(agreeOnSponsor(request, key, found.price.priced, found.market), sponsoring)
          }
        }
      )

      const priceDelivered = Effect.fnUntraced(
        function*(
          request: ResolvedRequest,
          key: ApiKey | undefined,
          gasless: PermitTerms | undefined
        ): Effect.fn.Return<Found, QuoteFailure | PaymentRefused> {
          return isDestinationSwap(request)
            ? yield* priceSwapped(request, key, gasless)
            : yield* priceFilled(request, key, gasless)
        },
        (priced, request) =>
          Effect.catchTag(priced, "PaymentRefused", (refused) => Effect.fail(refusedFill(request, refused)))
      )

      const priceFromSwap = Effect.fnUntraced(function*(request: ResolvedRequest, key: ApiKey | undefined) {
        const sponsorship = yield* sponsorshipTerms(request, key)
        const { found, ...shown } = yield* Effect.provide(
          quoteOriginSwap(request, sponsorship, (deposited) => priceDelivered(deposited, key, undefined)),
          swapping
        )
        return { ...found, ...shown }
      })

      const signedOrder = Effect.fnUntraced(
        function*(
          request: ResolvedRequest,
          { minimumOut, priced }: PricedRequest,
          market: MarketFacts,
          now: number,
          bounds: RefundBounds,
          expectedIn: bigint | undefined
        ) {
          const order = yield* Effect.orDie(Effect.fromResult(buildOrder(request, {
            settlement: settlement.slug,
            solver: signer.solver,
            salt: hex32FromDigest(yield* random.randomBytes(32)),
            now: Math.floor(now / 1000),
            amountIn: priced.amountIn,
            expectedIn,
            amountOut: priced.amountOut,
            minimumOut,
            topup: market.topupUnits ?? 0n,
            originRefundGas: bounds.gas + bounds.calls,
            destinationRefundGas: destinationRefundBound(market.fillGas, market.destinationNative, market.destination),
            fees: maxOf(0n, convertCeil(priced.amountIn, market.origin, market.destination) - priced.amountOut)
          })))
          const id = yield* Effect.orDie(Effect.fromResult(orderId(order, familyOf)))
          return { order, orderId: id, orderSignature: yield* signer.sign(id) }
        }
      )

      const quote = Effect.fn("Quoting.quote")(function*(
        requestId: RequestId,
        body: QuoteRequest,
        key: ApiKey | undefined,
        statusPath: string,
        at?: KeptAddress
      ): Effect.fn.Return<{ readonly quote: Quote; readonly orderId: OrderId }, QuoteFailure> {
        const request = yield* Effect.fromResult(resolveRequest(body, chains.all, limits))
        yield* Effect.fromResult(checkSwaps(body, request))
        yield* Effect.fromResult(checkOriginSwap(body, request))
        const { origin, originCurrency } = request
        const permit = yield* permitOf(request)
        const pricing = Effect.gen(function*() {
          if (isUserSwap(request)) return yield* Effect.provide(quoteUserSwap(request), swapping)
          if (isOriginSwap(request)) return yield* priceFromSwap(request, key)
          return isSend(request)
            ? yield* Effect.provide(priceSent(request, body), facts)
            : yield* priceDelivered(request, key, permit)
        })
        const found: Found = yield* pricing
        const { agreement, before: swapBefore, market, price, swap, swapped, waits = false } = found
        const { minimumOut, priced, slippage } = price
        if (at !== undefined && priced.split?.outcome === "above-cap") return yield* aboveLater
        // What the order is made of: the request itself, unless it is swapped before the deposit or in the fill.
        const fill = found.fill ?? { request, market, price }
        yield* refuseUnserving(
          checked,
          usedBy(request, fill.request, found.agreement === undefined ? undefined : settlementChain)
        )
        const { callsMost = 0n } = found
        // What the order asks for is the least that a swap before the deposit may give.
        const amountIn = swapBefore?.minimum ?? fill.price.priced.amountIn
        const bounds = {
          gas: originRefundBound(fill.market),
          calls: revertedFillBound(callsMost, fill.market.destinationNative, fill.market.origin)
        }
        yield* Effect.provide(coverCalls(amountIn, bounds, fill.market.origin), bearing)
        yield* ensureAnchored(origin)
        const intent = {
          origin,
          currency: originCurrency,
          amount: swapBefore?.most ?? priced.amountIn,
          user: request.user,
          way: wayOf(request, at, permit, found),
          feePayer: request.depositFeePayer,
          computeUnitLimit: request.computeUnitLimit
        }
        const deposit = yield* steps.prepare(intent).pipe(Effect.catchTags({
          DepositRefused: (refused) => Effect.fail(refusedDeposit(refused)),
          DepositUnfit: (unfit) => Effect.fail(unfitDeposit(unfit))
        }))
        const now = yield* Clock.currentTimeMillis
        const signed = yield* signedOrder(
          fill.request,
          { ...fill.price, priced: { ...fill.price.priced, amountIn } },
          fill.market,
          now,
          bounds,
          swapBefore?.expected
        )
        const depositAddress = yield* Effect.provide(addressFor(request, signed.orderId, at), addressing)
        const built = assembleQuote({
          request,
          priced,
          minimumOut,
          slippage,
          leastRefund: signed.order.inputs[0]?.refunds[0]?.minimumAmount,
          ...market,
          originGas: deposit.gas,
          userBalance: deposit.userBalance,
          cap: request.sponsorship?.cap,
          fixedRate: request.fixedRate,
          timeEstimateSeconds: timeEstimate(origin, request.destination, usdFloor(priced.amountIn, market.origin)) +
            (waits ? policy.externalLiquiditySeconds : 0),
          steps: deposit.steps({
            orderId: signed.orderId,
            requestId,
            depositAddress,
            checkEndpoint: `${statusPath}?requestId=${requestId}`
          }),
          protocol: request.includeProtocolData ? protocolOf(fill.request, signed, amountIn) : undefined,
          serviceName: names.service,
          routerName: names.router,
          swaps: routeSwaps(found),
          swapsFirst: swapsFirst(found),
          ...(body.useFallbacks === true ? { fallbackType: swapped === undefined ? "none" : "bridged" } : {})
        })
        const parts = {
          id: requestId,
          depositAddress,
          apiKeyId: key?.id,
          ...signed,
          request: fill.request,
          body,
          permit,
          priced: fill.price.priced,
          minimumOut: fill.price.minimumOut,
          quote: built,
          sponsorship: agreement,
          waitSeconds: policy.externalLiquiditySeconds,
          now
        }
        // A later deposit at an address has brought money for it.
        if (at === undefined) yield* Effect.provide(keepCalldata(body, key), storing)
        // Known before the transfer is: nobody can have carried out earlier what has no id yet.
        const own = isSend(request) || swap !== undefined
        const before = own ? yield* watcher.head(origin) : undefined
        yield* transfers.add(newTransfer({
          ...parts,
          send: isSend(request),
          userSwap: swap?.call,
          originSwap: swapBefore &&
            {
              source: swapBefore.source,
              currency: originCurrency.address,
              amountIn: swapBefore.amountIn,
              minimum: swapBefore.minimum
            },
          destinationSwap: swapped,
          refundBounds: callsMost === 0n ? undefined : bounds,
          forceRefund: policy.forceRefund && body.referrer === FORCE_REFUND
        }))
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
        quote: (requestId, body, key, statusPath) =>
          Effect.map(counted(quote(requestId, body, key, statusPath)), (made) => made.quote),
        quoteLater: (at, body, key) =>
          // It has an address already.
          Effect.flatMap(
            newRequestId,
            (requestId) =>
              Effect.map(counted(quote(requestId, body, key, names.statusPath, at)), (made) => made.orderId)
          ).pipe(
            Effect.catchTag("AddressesExhausted", Effect.die)
          )
      })
    })
  )
