/**
 * A refund of a known order whose deposit nobody knows: a reorg dropped the deposit, and a restored store had forgotten
 * both. The refund stands under an id of its own until a deposit comes that it covers (RESTORE-1).
 */
import type { TransactionId } from "../../chain/TransactionId.ts"
import { hex32FromDigest } from "../../encoding/Hex.ts"
import type { Hex32 } from "../../encoding/Hex.ts"
import { keccakText } from "../../encoding/StructHash.ts"
import { leastRefund } from "../../hub/settling/SettledRefund.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import type { PaidOut } from "../payment/PurposeOfPayment.ts"
import { planRefund } from "./RefundPlan.ts"
import type { RefundedTransfer } from "./RefundedTransfer.ts"

/** In place of the deposit's id. `transactionId`: of the refund. */
export const forgottenDeposit = (transactionId: TransactionId): Hex32 =>
  hex32FromDigest(keccakText(`refund:${transactionId}`))

/**
 * True when the payment could be the refund of this deposit. The order says how much a refund of its input leaves out
 * at most. Of anything else only gas is left out, and more than half of it never is.
 *
 * SECURITY: anybody can deposit under an order. A refund covers only a deposit whose own refund would go to the same
 * recipient, and nearly all of it, so that the rest is not lost.
 */
export const couldRefund = (
  transfer: Pick<RefundedTransfer, "order" | "terms">,
  { amount, chainId, currency, recipient }: PaidOut,
  deposit: Deposit
): boolean => {
  const { originChainId, originCurrency } = transfer.terms
  const isInput = deposit.chainId === originChainId && deposit.currency === originCurrency
  const least = isInput ? leastRefund(transfer.order, deposit.amount) : deposit.amount / 2n
  return chainId === deposit.chainId && currency === deposit.currency &&
    planRefund(transfer, deposit).recipient === recipient && least <= amount && amount <= deposit.amount
}

/**
 * True when the payment could be this excess of the deposit (RESTORE-3). Only gas is left out of it, and half is the most
 * that gas is expected to be.
 *
 * SECURITY: nearly all of it, so that the small refund of another deposit does not count as the excess of a large one.
 */
export const couldBeExcess = (
  transfer: Pick<RefundedTransfer, "terms">,
  { amount, chainId, currency, recipient }: PaidOut,
  deposit: Deposit,
  excess: bigint
): boolean =>
  chainId === deposit.chainId && currency === deposit.currency &&
  recipient === planRefund(transfer, deposit).recipient && excess > 0n && excess / 2n <= amount && amount <= excess
