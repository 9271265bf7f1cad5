/**
 * Which of many open deposits of one order is handled first.
 *
 * SECURITY: anybody can deposit under anybody's order, thousands of times in one transaction, and only a few deposits
 * of an order are handled at a time. So the user's own deposits must come before a stranger's: first the deposits that
 * decide the request, and among those the largest amounts of the quoted currency. To delay a deposit, an attacker must
 * make larger ones.
 */
import { planRefund } from "../refund/RefundPlan.ts"
import type { RefundedTransfer } from "../refund/RefundedTransfer.ts"
import type { Deposit } from "./Deposit.ts"

/** Greater than any amount on a chain. */
const DECIDES = 1n << 256n

/** The greater value is handled first; always below 2²⁵⁷. */
export const precedenceOf = (transfer: Pick<RefundedTransfer, "terms">, deposit: Deposit): bigint => {
  const { originChainId, originCurrency } = transfer.terms
  const isQuoted = deposit.chainId === originChainId && deposit.currency === originCurrency
  const amount = deposit.amount < DECIDES ? deposit.amount : DECIDES - 1n
  return (planRefund(transfer, deposit).decides ? DECIDES : 0n) + (isQuoted ? amount : 0n)
}
