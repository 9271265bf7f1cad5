/**
 * Whether two deposits of an order can be one that a reorg has moved. A deposit's id names its chain, its transaction
 * and its index there. A reorg can change the index (on EVM chains it counts the logs of the whole block), and the
 * transaction, where the user replaces it.
 *
 * It is not enough on its own: two deposits can be of the same money. One of them must be gone from its chain while the
 * other is final.
 */
import type { Deposit } from "./Deposit.ts"

/**
 * SECURITY: a payment covers only what it was made for. Dust would take the payment of a deposit that is gone, whose
 * loss would count as recovered; and who sends more than was paid for would lose the rest.
 */
export const isSameMoney = (
  one: Pick<Deposit, "amount" | "chainId" | "currency">,
  other: Pick<Deposit, "amount" | "chainId" | "currency">
): boolean => one.chainId === other.chainId && one.currency === other.currency && one.amount === other.amount
