/** The part that a price and a quote have in common: the price of a request, its deposit, and how both are shown. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { PermitTokens } from "../../../ports/chain/PermitTokens.ts"
import type { DepositUnfit, PreparedDeposit } from "../../../ports/chain/StepBuilder.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import type { ApiKey } from "../../domain/api-key/ApiKey.ts"
import { usdFloor } from "../../domain/money/Currency.ts"
import type { Order } from "../../domain/order/Order.ts"
import type { PermitTerms } from "../../domain/permit/Permit.ts"
import { timeEstimate } from "../../domain/quote/assemble/TimeEstimate.ts"
import { QuoteRefused } from "../../domain/quote/QuoteError.ts"
import { planQuote } from "../../domain/quote/QuotePlan.ts"
import type { QuoteRequest } from "../../domain/quote/request/QuoteRequest.ts"
import { PERMIT2 } from "../../domain/quote/request/RequestLimits.ts"
import { resolveRequest } from "../../domain/quote/request/ResolveRequest.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import { refuseUnservingNow } from "../operations/CheckedConfiguration.ts"
import { unlessKnown } from "../../../ports/Known.ts"
import { coverCalls } from "./CoverCalls.ts"
import { wayOf } from "./DepositWays.ts"
import type { DeskNow } from "./Desk.ts"
import { depositNow } from "./market/Facts.ts"
import { routeSwaps, swapsFirst } from "./PricedRoute.ts"
import type { PricedRoute } from "./PricedRoute.ts"
import { priceRoute } from "./PriceRoute.ts"
import type { Pricing } from "./PriceRoute.ts"
import { unfitDeposit, withoutPermits } from "./Refusals.ts"
import { promiseOf } from "./SignOrder.ts"
import { usedBy } from "./UsedBy.ts"

/** What a price depends on. */
export interface Priceable {
  readonly body: QuoteRequest
  /** The caller's key. Undefined without one. */
  readonly key: ApiKey | undefined
  /** The open address to which a later deposit came. */
  readonly at: KeptAddress | undefined
}

const aboveLater = new QuoteRefused({
  code: "SPONSOR_BUDGET_EXCEEDED",
  field: "maxSubsidizationAmount",
  message: "the fees are above what a sponsor pays for this deposit"
})

/** What the user is to sign, without the order. Undefined when it sends a transaction. */
const permitOf = Effect.fnUntracedEager(function*({ origin, originCurrency, permit: asked, user }: ResolvedRequest) {
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

/** A request with its price: the part that a price and a quote have in common. */
export const priceAsked = Effect.fnUntracedEager(function*(now: DeskNow, { at, body, key }: Priceable) {
  const { accountsOn, all, checked, facts, names, policy, settlement, signer } = now
  const request = yield* Effect.fromResult(resolveRequest(body, all, {
    ...policy.limits,
    serviceName: names.service,
    refusedTargets: [signer.solver, ...all.flatMap(accountsOn), PERMIT2]
  }))
  const plan = yield* Effect.fromResult(planQuote(body, request))
  const pricing: Pricing = { request, key, permit: yield* permitOf(request), facts, policy }
  const route: PricedRoute = yield* priceRoute(plan, pricing, body)
  if (at !== undefined && route.price.priced.split?.outcome === "above-cap") return yield* Effect.fail(aboveLater)
  const agreement = route._tag === "Delivered" ? route.agreement : undefined
  yield* refuseUnservingNow(
    checked,
    usedBy(request, route.fill.request, agreement === undefined ? undefined : settlement),
    facts.now
  )
  const promise = promiseOf(route)
  const { market } = route.fill
  const hasCalls = request.calls.length > 0
  // What may come later refuses nobody (REFUND-13, REFUND-16).
  if (hasCalls || market.code === "present") {
    yield* coverCalls(promise.amountIn, promise.bounds, market.origin, hasCalls)
  }
  return { pricing, route, promise }
})
export type PricedAsked = Effect.Success<ReturnType<typeof priceAsked>>

/** The user's transaction, or the signature that replaces it. Fails as the chain refuses it. */
export const prepareDeposit = (
  at: KeptAddress | undefined,
  { pricing: { facts, permit, request }, promise, route }: PricedAsked
) =>
  depositNow(facts, {
    origin: request.origin,
    currency: request.originCurrency,
    amount: promise.before?.most ?? route.price.priced.amountIn,
    user: request.user,
    way: wayOf(request, at, permit, route),
    feePayer: request.depositFeePayer,
    computeUnitLimit: request.computeUnitLimit,
    userPublicKey: request.userPublicKey
  })

/** The reasons that are the wallet's, not the request's: with money in it the same deposit could be made. */
const isUnfunded = ({ reason }: DepositUnfit): boolean =>
  reason._tag === "UserUnfunded" || reason._tag === "FeePayerUnfunded" || reason._tag === "TooManyCoins"

/** What the deposit costs the user's wallet. A wallet that could not make it costs nothing, and is no reason to refuse. */
export const walletOf = (found: PricedAsked) => {
  const nothing = { gas: 0n, userBalance: 0n }
  return unlessKnown(
    Effect.mapEager(prepareDeposit(undefined, found), ({ gas, userBalance }) => ({ gas, userBalance })),
    Effect.catchTags({
      DepositRefused: () => Effect.succeed(nothing),
      DepositUnfit: (unfit) => isUnfunded(unfit) ? Effect.succeed(nothing) : Effect.fail(unfitDeposit(unfit))
    })
  )
}

/** The answer without steps and order. */
export const shownOf = (
  { names, policy }: DeskNow,
  body: QuoteRequest,
  { pricing: { request }, route }: PricedAsked,
  { inputs }: Order,
  { gas, userBalance }: Pick<PreparedDeposit, "gas" | "userBalance">
) => {
  const { market, price: { minimumOut, priced, slippage } } = route
  const delivered = route._tag === "Delivered" ? route : undefined
  return {
    request,
    priced,
    minimumOut,
    slippage,
    leastRefund: inputs[0]?.refunds[0]?.minimumAmount,
    leastOnDestination: request.refundOnOrigin ? undefined : inputs[0]?.refunds[1]?.minimumAmount,
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
}
