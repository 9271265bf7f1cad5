/**
 * What the submission of a permit would deposit, and what stands in the way of it: judged by the rules for deposits
 * that are made, so that nothing is submitted that would only be given back. Total and pure.
 */
import { judge } from "../transfer/deposit/Judgement.ts"
import type { Judgement } from "../transfer/deposit/Judgement.ts"
import type { Deposit } from "../transfer/deposit/Deposit.ts"
import { planRefund } from "../transfer/refund/RefundPlan.ts"
import type { Transfer } from "../transfer/Transfer.ts"

/** The judgement of the quoted amount, deposited in a block of this time, in seconds. */
export const judgePermitted = (transfer: Transfer, time: number): Judgement => {
  const { amountIn: amount, originChainId: chainId, originCurrency: currency } = transfer.terms
  return judge(transfer, { chainId, currency, amount, block: { time } }, "first")
}

/**
 * Whether a deposit that names the order counts for it: the user's own, whatever it is, and a stranger's that would be
 * filled as far as the quoted price says. A stranger's dust keeps no permit from being submitted.
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
