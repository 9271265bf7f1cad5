/**
 * Checks who pays when a fill that runs strangers' code reverts: the deposit, or else the solver, within what is left
 * today of REVERTED_CALLS_USD (REFUND-11).
 */
import * as Effect from "effect/Effect"
import { CallLosses } from "../../../ports/store/ledger/CallLosses.ts"
import { usdCeil } from "../../domain/money/Currency.ts"
import type { PricedCurrency } from "../../domain/money/Currency.ts"
import { microsCeil } from "../../domain/money/Usd.ts"
import { QuoteRefused } from "../../domain/quote/QuoteError.ts"
import type { RefundBounds } from "../../domain/transfer/refund/RefundBounds.ts"
import { coveredCalls } from "../../domain/transfer/payment/RevertedCalls.ts"
import { callLossCaps } from "../filling/losses/RevertedCallLoss.ts"
import { countStuck } from "../operations/Meters.ts"
import { Policy } from "../operations/Policy.ts"

/** What would revert, and what helps besides a larger deposit. `hasCalls`: the request has txs. */
const wordsOf = (hasCalls: boolean) =>
  hasCalls
    ? { fill: "one fill whose txs revert", advice: "name a lower txsGasLimit" }
    : { fill: "one fill that the recipient's contract reverts", advice: "name a recipient without code" }

/**
 * AMOUNT_TOO_LOW when neither can pay. Reserves nothing: the fill reserves the cost that it has then.
 *
 * SECURITY: what has been lost may be known some seconds late (`recentlySpent`). Who is quoted in these seconds gains
 * what any number of quotes gain that were made while there was room: none of them is filled without a reservation.
 */
export const coverCalls = Effect.fnUntracedEager(
  function*(amountIn: bigint, bounds: RefundBounds, origin: PricedCurrency, hasCalls: boolean) {
    const uncovered = bounds.calls - coveredCalls(amountIn, bounds, amountIn - bounds.gas - bounds.calls)
    if (uncovered === 0n) return
    const losses = yield* CallLosses
    const { revertedCalls } = yield* Policy
    const caps = callLossCaps(revertedCalls)
    const most = microsCeil(usdCeil(uncovered, origin))
    if (most <= caps.sender && (yield* losses.recentlySpent) + most <= caps.all) return
    if (most <= caps.sender) yield* countStuck("reverted-calls-capped")
    const { advice, fill } = wordsOf(hasCalls)
    return yield* new QuoteRefused({
      code: "AMOUNT_TOO_LOW",
      field: "amount",
      message:
        `amount: a deposit of ${amountIn} does not cover a refund (${bounds.gas}) and ${fill} (${bounds.calls} smallest units): send more, or ${advice}`
    })
  }
)
