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
import { Chains } from "../../ports/Chains.ts"
import type { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import { DepositWatcher } from "../../ports/DepositWatcher.ts"
import { Deposits } from "../../ports/Deposits.ts"
import { Gas } from "../../ports/Gas.ts"
import { OrderSigner } from "../../ports/OrderSigner.ts"
import { Prices } from "../../ports/Prices.ts"
import type { PriceUnavailable } from "../../ports/Prices.ts"
import { StepBuilder } from "../../ports/StepBuilder.ts"
import type { StoreUnavailable } from "../../ports/StoreUnavailable.ts"
import { Transfers } from "../../ports/Transfers.ts"
import { Treasury } from "../../ports/Treasury.ts"
import { findChainBySlug } from "../domain/chain/Chain.ts"
import type { Chain } from "../domain/chain/Chain.ts"
import type { ChainId, ChainSlug } from "../domain/chain/ChainId.ts"
import { hex32FromDigest } from "../domain/chain/Hex.ts"
import { convertCeil, usdFloor } from "../domain/money/Currency.ts"
import { Order } from "../domain/order/Order.ts"
import { orderId } from "../domain/order/OrderId.ts"
import { assembleQuote } from "../domain/quote/AssembleQuote.ts"
import { buildOrder } from "../domain/quote/BuildOrder.ts"
import { priceRequest } from "../domain/quote/PriceRequest.ts"
import { QuoteRefused } from "../domain/quote/QuoteError.ts"
import type { QuoteRequest } from "../domain/quote/QuoteRequest.ts"
import { resolveRequest } from "../domain/quote/ResolveRequest.ts"
import type { ResolvedRequest } from "../domain/quote/ResolveRequest.ts"
import { timeEstimate } from "../domain/quote/TimeEstimate.ts"
import type { Quote } from "../domain/quote/wire/Quote.ts"
import { newTransfer } from "../domain/transfer/NewTransfer.ts"
import type { RequestId } from "../domain/transfer/RequestId.ts"
import { makeRequestId } from "../domain/transfer/RequestId.ts"
import { anchorChain } from "./AnchorChain.ts"
import { gatherMarketFacts } from "./MarketFacts.ts"
import { countQuote } from "./Meters.ts"

/** How the product names itself on the wire. */
export interface QuotingNames {
  /** The service component (SERVICE_COMPONENT_NAME). */
  readonly service: string
  /** The router of a route without swaps. */
  readonly router: string
}

export type QuoteFailure = QuoteRefused | ChainUnavailable | PriceUnavailable | StoreUnavailable

export class Quoting extends Context.Service<Quoting, {
  /** A fresh id for a request, known before anything is decided so that every answer can carry it. */
  readonly newRequestId: Effect.Effect<RequestId>
  readonly quote: (
    requestId: RequestId,
    request: QuoteRequest,
    /** Path at which the request's status is polled; the id is appended as its query. */
    statusPath: string
  ) => Effect.Effect<Quote, QuoteFailure>
}>()("causeway/services/Quoting") {}

const encodeOrder = Schema.encodeSync(Order)

/** A refund's gas may cost this many times what it costs now. */
const REFUND_GAS_FACTOR = 3n

/** What the first version of the routes serves; wider ones follow with their adapters. */
const refuseUnservedRoute = (request: ResolvedRequest): QuoteRefused | undefined => {
  if (!request.originCurrency.isNative || !request.destinationCurrency.isNative) {
    return new QuoteRefused({ code: "UNSUPPORTED_ROUTE", field: "originCurrency", message: "only native currencies are served by this version" })
  }
  if (request.origin.id === request.destination.id) {
    return new QuoteRefused({ code: "UNSUPPORTED_ROUTE", field: "destinationChainId", message: "transfers within one chain are not served by this version" })
  }
  return undefined
}

/** The payment was tried on the chain as it would be made. */
const notPayable = new QuoteRefused({
  code: "INVALID_RECIPIENT",
  field: "recipient",
  message: "recipient or refundTo is a contract that does not take a plain payment, or wants more gas for it than is given: name another"
})

export const layer = (names: QuotingNames) =>
  Layer.effect(
    Quoting,
    Effect.gen(function*() {
      const chains = yield* Chains
      const transfers = yield* Transfers
      const treasury = yield* Treasury
      const steps = yield* StepBuilder
      const signer = yield* OrderSigner
      const random = yield* SecureRandom
      const facts = Context.mergeAll(
        Context.make(Prices, yield* Prices),
        Context.make(Gas, yield* Gas)
      )
      const deposits = yield* Deposits
      const watching = Context.mergeAll(Context.make(Deposits, deposits), Context.make(DepositWatcher, yield* DepositWatcher))
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

      const quote = Effect.fn("Quoting.quote")(function*(
        requestId: RequestId,
        body: QuoteRequest,
        statusPath: string
      ): Effect.fn.Return<Quote, QuoteFailure> {
        const request = yield* Effect.fromResult(resolveRequest(body, chains.all))
        const unserved = refuseUnservedRoute(request)
        if (unserved !== undefined) return yield* unserved
        const { destination, destinationCurrency, origin, originCurrency } = request
        const [market, inventory] = yield* Effect.all([
          Effect.provide(gatherMarketFacts(request), facts).pipe(Effect.catchTag("PaymentRefused", () => Effect.fail(notPayable))),
          treasury.inventory(destination, destinationCurrency)
        ], { concurrency: "unbounded" })
        const { minimumOut, priced, slippage } = yield* Effect.fromResult(priceRequest(market, request))
        const needed = priced.amountOut + (destinationCurrency.isNative ? market.fillGas : 0n)
        if (needed > inventory) {
          return yield* new QuoteRefused({
            code: "INSUFFICIENT_LIQUIDITY",
            field: "amount",
            message: `not enough ${destinationCurrency.symbol} on ${destination.name} now: ask for less`
          })
        }
        yield* ensureAnchored(origin)
        const costs = yield* steps.originCosts({ origin, currency: originCurrency, amount: priced.amountIn, user: request.user })
        const now = yield* Clock.currentTimeMillis
        const order = yield* Effect.orDie(Effect.fromResult(buildOrder(request, {
          settlement: chains.settlement.chain.slug,
          solver: signer.solver,
          salt: hex32FromDigest(yield* random.randomBytes(32)),
          now: Math.floor(now / 1000),
          amountIn: priced.amountIn,
          amountOut: priced.amountOut,
          minimumOut,
          originRefundGas: convertCeil(market.refundGas * REFUND_GAS_FACTOR, market.originNative, market.origin),
          destinationRefundGas: convertCeil(market.fillGas * REFUND_GAS_FACTOR, market.destinationNative, market.destination)
        })))
        const id = yield* Effect.orDie(Effect.fromResult(orderId(order, familyOf)))
        const orderSignature = yield* signer.sign(id)
        const built = assembleQuote({
          request,
          priced,
          minimumOut,
          slippage,
          ...market,
          originGas: costs.gasLimit * costs.maxFeePerGas,
          userBalance: costs.userBalance,
          timeEstimateSeconds: timeEstimate(origin, destination, usdFloor(priced.amountIn, market.origin)),
          steps: steps.depositSteps({
            origin,
            currency: originCurrency,
            amount: priced.amountIn,
            user: request.user,
            orderId: id,
            requestId,
            checkEndpoint: `${statusPath}?requestId=${requestId}`
          }, costs),
          protocol: request.includeProtocolData
            ? {
              v2: {
                orderId: id,
                hubType: "onchain",
                orderData: encodeOrder(order),
                orderSignature,
                paymentDetails: {
                  chainId: origin.slug,
                  depository: origin.depository,
                  currency: originCurrency.address,
                  amount: priced.amountIn.toString()
                }
              }
            }
            : undefined,
          serviceName: names.service,
          routerName: names.router
        })
        yield* transfers.add(newTransfer({ id: requestId, orderId: id, order, orderSignature, request, body, priced, minimumOut, quote: built, now }))
        return built
      })

      const counted: Quoting["Service"]["quote"] = (requestId, body, statusPath) =>
        quote(requestId, body, statusPath).pipe(
          Effect.tap(() => countQuote("quoted")),
          Effect.tapError((failure) => countQuote(failure._tag === "QuoteRefused" ? failure.code : failure._tag))
        )

      return Quoting.of({ newRequestId, quote: counted })
    })
  )
