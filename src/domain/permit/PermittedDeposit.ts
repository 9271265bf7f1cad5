/**
 * The deposit that submitting a permit would make, and what prevents it. Judged by the rules for real deposits, so a
 * permit is not submitted if its deposit would only be refunded. Total and pure.
 */
import { judge } from "../transfer/deposit/Judgement.ts"
import type { Judgement } from "../transfer/deposit/Judgement.ts"
import type { Deposit } from "../transfer/deposit/Deposit.ts"
import { planRefund } from "../transfer/refund/RefundPlan.ts"
import type { Transfer } from "../transfer/Transfer.ts"

/** The judgement of the quoted amount in a block of this time, in seconds. */
export const judgePermitted = (transfer: Transfer, time: number): Judgement => {
  const { amountIn: amount, originChainId: chainId, originCurrency: currency } = transfer.terms
  return judge(transfer, { chainId, currency, amount, block: { time } }, "first")
}

/**
 * Whether a deposit that names the order counts for it: any deposit of the user's own, and a stranger's if the quoted
 * price would fill it. A stranger's dust does not prevent a permit's submission.
 */
export const countsForOrder = (transfer: Transfer, deposit: Deposit): boolean => {
  if (planRefund(transfer, deposit).decides) return true
  const judged = judge(transfer, deposit, "first")
  switch (judged._tag) {
    case "Refund":
      return false
    case "Fill":
      return true
    case "Reprice": {
      const { amountIn, amountOut } = transfer.terms
      return judged.price.settle(amountIn === 0n ? 0n : (amountOut * deposit.amount) / amountIn)._tag === "Fill"
    }
  }
}
