/** The verdict on a confirmed deposit: the domain's, with the market's facts when the quoted price no longer holds. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ChainUnavailable } from "../../../ports/ChainUnavailable.ts"
import { Deposits } from "../../../ports/Deposits.ts"
import { DepositWatcher } from "../../../ports/DepositWatcher.ts"
import { Payments } from "../../../ports/Payments.ts"
import type { StoredPayment } from "../../../ports/Payments.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { Bps } from "../../domain/money/Bps.ts"
import { priceRequest } from "../../domain/quote/PriceRequest.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import { judgeDeposit, judgeRepriced } from "../../domain/transfer/JudgeDeposit.ts"
import type { FinalVerdict } from "../../domain/transfer/JudgeDeposit.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { gatherMarketFacts } from "../MarketFacts.ts"
import type { Route } from "../MarketFacts.ts"
import { Policy } from "../Policy.ts"
import { pollInterval } from "../PollInterval.ts"

/** What today's price delivers for the deposited amount; zero when it does not cover the fees. Refused: the chain would not carry it out. */
const repricedOutput = Effect.fnUntraced(function*(route: Route, { terms }: Transfer, amountIn: bigint) {
  const wish = { amount: amountIn, tradeType: "EXACT_INPUT", slippage: undefined } as const
  const market = yield* gatherMarketFacts(route, wish)
  const { spreadOf } = yield* Policy
  const spreadBps = spreadOf(route.originCurrency, route.destinationCurrency)
  const appBps = Bps((terms.appFees ?? []).reduce((sum, { bps }) => sum + bps, 0n))
  // The impact was accepted with the quote; what counts now is the minimum that was promised.
  const repriced = priceRequest({ ...market, appBps, spreadBps }, { ...wish, overridePriceImpact: true })
  return Result.isSuccess(repriced) ? repriced.success.priced.amountOut : 0n
  // Calls that send more than today's price delivers cannot be made.
}, Effect.catchTag("QuoteRefused", () => Effect.succeed(0n)))

/** Money that is missing now may be there when the payment is due: that is for the payment to find out. */
const reprice = Effect.fnUntraced(function*(route: Route, transfer: Transfer, deposit: Deposit, amountIn: bigint) {
  const amountOut = yield* repricedOutput(route, transfer, amountIn)
  return judgeRepriced(transfer, deposit, amountOut)
}, Effect.catchTag("PaymentRefused", ({ reason }) =>
  Effect.succeed<FinalVerdict>({ _tag: "Refund", reason: reason === "reverts" ? "TRANSACTION_REVERTED" : "SOLVER_CAPACITY_EXCEEDED" })))

/** Waits until a deposit is final or gone: only then is it known whether two sightings are two deposits. */
const untilFinal = Effect.fnUntraced(function*(chain: Chain, deposit: Deposit) {
  const watcher = yield* DepositWatcher
  while (true) {
    const standing = yield* watcher.standing(chain, deposit)
    if (standing._tag === "Gone" || standing.final) return standing._tag
    yield* Effect.sleep(pollInterval(chain))
  }
})

/**
 * The order was paid for another deposit. Were that one's place on the chain only this one's before a reorganisation,
 * there was one deposit all along, and the payment is this one's.
 */
const decideSecond = Effect.fnUntraced(function*(
  route: Route,
  chain: Chain,
  deposit: Deposit,
  paid: StoredPayment
) {
  const payments = yield* Payments
  const deposits = yield* Deposits
  const claimant = yield* deposits.find(paid.deposit)
  const own = yield* untilFinal(chain, deposit)
  if (own === "Gone") return yield* new ChainUnavailable({ chain: chain.slug, operation: "second deposit", kind: "behind" })
  const other = claimant === undefined ? "Gone" : yield* untilFinal(route.origin, claimant.deposit)
  if (other === "Gone") {
    yield* payments.handOver(paid, deposit.onchainId)
    return { _tag: "Fill", amountOut: paid.amount } satisfies FinalVerdict
  }
  return { _tag: "Refund", reason: "DOUBLE_SPEND" } satisfies FinalVerdict
})

export const decideDeposit = Effect.fn("Filling.decide")(function*(route: Route, chain: Chain, transfer: Transfer, deposit: Deposit) {
  const payments = yield* Payments
  // A verdict is kept for ever: it must not be made while payments may be missing from the store.
  yield* payments.refuseHeld(route.destination)
  yield* payments.refuseHeld(chain)
  const refunded = yield* payments.find(transfer.orderId, `refund:${deposit.onchainId}`)
  if (refunded !== undefined && refunded.state !== "reverted") return { _tag: "Refund", reason: "UNKNOWN" } satisfies FinalVerdict
  const paid = yield* payments.find(transfer.orderId, "fill")
  if (paid !== undefined && paid.deposit !== deposit.onchainId) return yield* decideSecond(route, chain, deposit, paid)
  if (paid !== undefined) return { _tag: "Fill", amountOut: paid.amount } satisfies FinalVerdict
  const verdict = judgeDeposit(transfer, deposit)
  if (verdict._tag !== "Reprice") return verdict
  return yield* reprice(route, transfer, deposit, verdict.amountIn)
})
