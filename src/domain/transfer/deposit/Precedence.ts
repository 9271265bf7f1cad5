/**
 * Which of many open deposits of one order is looked after first.
 *
 * SECURITY: anybody can deposit under anybody's order, thousands of times in one transaction. A few of them are at work
 * at a time, so what the user has sent must come before whatever a stranger sends: first what decides the request, and
 * of that the largest amounts of the quoted currency. To be in the way of a deposit costs larger ones.
 */
import { planRefund } from "../refund/RefundPlan.ts"
import type { RefundedTransfer } from "../refund/RefundedTransfer.ts"
import type { Deposit } from "./Deposit.ts"

/** Above every amount of a chain. */
const DECIDES = 1n << 256n

/** The greater comes first: below 2²⁵⁷. */
export const precedenceOf = (transfer: Pick<RefundedTransfer, "terms">, deposit: Deposit): bigint => {
  const { originChainId, originCurrency } = transfer.terms
  const isQuoted = deposit.chainId === originChainId && deposit.currency === originCurrency
  const amount = deposit.amount < DECIDES ? deposit.amount : DECIDES - 1n
  return (planRefund(transfer, deposit).decides ? DECIDES : 0n) + (isQuoted ? amount : 0n)
}
