/** The current price of a plan. For a delivery by the solver it also checks inventory and sponsor. */
import * as Effect from "effect/Effect"
import { Gas } from "../../../ports/chain/Gas.ts"
import type { ApiKey } from "../../domain/api-key/ApiKey.ts"
import type { PermitTerms } from "../../domain/permit/Permit.ts"
import { checkCallValues } from "../../domain/quote/DestinationCalls.ts"
import { totalAppBps } from "../../domain/quote/pricing/AppFees.ts"
import { priceRequest } from "../../domain/quote/pricing/PriceRequest.ts"
import type { Delivery, QuotePlan } from "../../domain/quote/QuotePlan.ts"
import type { QuoteRequest } from "../../domain/quote/request/QuoteRequest.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import { checkSend, priceSend } from "../../domain/quote/Send.ts"
import type { Policy } from "../operations/Policy.ts"
import { unlessKnown } from "../../../ports/Known.ts"
import { checkInventory } from "./CheckInventory.ts"
import { quoteDestinationSwap } from "./swapping/DestinationSwapping.ts"
import { codeUnitsAt, gatherMarketAt, tentativeFill } from "./market/MarketFacts.ts"
import type { MarketFacts } from "./market/MarketFacts.ts"
import type { Facts } from "./market/Facts.ts"
import { gatherOwnFacts } from "./market/OwnFacts.ts"
import { quoteOriginSwap } from "./swapping/OriginSwapping.ts"
import type { PricedRoute } from "./PricedRoute.ts"
import { refusedFill } from "./Refusals.ts"
import { agreeOnSponsor, sponsorshipTerms } from "./Sponsoring.ts"
import { quoteUserSwap } from "./swapping/UserSwapping.ts"

/** The request to price, and its caller. */
export interface Pricing {
  readonly request: ResolvedRequest
  readonly key: ApiKey | undefined
  /** What the user signs instead of sending a transaction. Undefined when it sends one. */
  readonly permit: PermitTerms | undefined
  readonly facts: Facts
  readonly policy: Policy["Service"]
}

const priceFill = Effect.fnUntracedEager(function*({ facts, key, permit: gasless, policy, request }: Pricing) {
  const sponsorship = yield* sponsorshipTerms(request, key)
  const route = { ...request, gasless }
  const known = yield* gatherMarketAt(facts, route, request)
  const codeUnits = yield* codeUnitsAt(facts, route, known, request)
  const market: MarketFacts = codeUnits === undefined ? known : { ...known, codeUnits }
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
  return { market, price, fill: { request, market, price }, swapped: undefined }
})

/**
 * The swap was tried with more input than it will get, and is quoted with what it will get. Calls after it are tried as
 * they will be made.
 */
const priceSwapFill = Effect.fnUntraced(function*({ key, permit, request }: Pricing) {
  return yield* quoteDestinationSwap(request, permit, yield* sponsorshipTerms(request, key))
})

const priceDelivery = Effect.fnUntracedEager(
  function*({ _tag }: Delivery, pricing: Pricing) {
    const { facts, key, request } = pricing
    const found = yield* _tag === "Fill" ? priceFill(pricing) : priceSwapFill(pricing)
    const { fill: { price: { priced: { amountOut } }, request: filled }, market, price } = found
    const waits = yield* checkInventory(facts, filled, amountOut, market)
    if (_tag === "Fill") yield* Effect.fromResult(checkCallValues(request.calls, filled.destinationCurrency, amountOut))
    // A fill with calls is tried again with exactly what it will pay: the calls may need all of the amount of the first
    // try.
    const callsMost = request.calls.length === 0
      ? 0n
      : yield* (yield* Gas).mostOfCalls(tentativeFill(filled, amountOut))
    return { ...found, waits, callsMost, agreement: yield* agreeOnSponsor(request, key, price.priced, market) }
  },
  (priced, _, { request }) =>
    unlessKnown(priced, Effect.catchTag("PaymentRefused", (refused) => Effect.fail(refusedFill(request, refused))))
)

const priceOriginSwap = Effect.fnUntraced(function*(delivery: Delivery, pricing: Pricing) {
  const { key, request } = pricing
  const sponsorship = yield* sponsorshipTerms(request, key)
  const { found, ...shown } = yield* quoteOriginSwap(
    request,
    sponsorship,
    (deposited) => priceDelivery(delivery, { ...pricing, request: deposited, permit: undefined })
  )
  return { ...found, ...shown }
})

const priceOwnSend = Effect.fnUntraced(function*({ request }: Pricing, body: QuoteRequest) {
  yield* Effect.fromResult(checkSend(body, request))
  return { market: yield* gatherOwnFacts(request), price: priceSend(request) }
})

/** Errors: those of the plan's own pricing. */
export const priceRoute = Effect.fnUntracedEager(function*(plan: QuotePlan, pricing: Pricing, body: QuoteRequest) {
  const { request } = pricing
  switch (plan._tag) {
    case "Send": {
      const sent = yield* priceOwnSend(pricing, body)
      return { _tag: plan._tag, ...sent, fill: { request, ...sent } } satisfies PricedRoute
    }
    case "UserSwap": {
      const { market, price, swap } = yield* quoteUserSwap(request)
      return { _tag: plan._tag, market, price, swap, fill: { request, market, price } } satisfies PricedRoute
    }
    case "OriginSwap":
      return { _tag: "Delivered", ...(yield* priceOriginSwap(plan.delivery, pricing)) } satisfies PricedRoute
    default:
      return { _tag: "Delivered", ...(yield* priceDelivery(plan, pricing)), before: undefined } satisfies PricedRoute
  }
})
