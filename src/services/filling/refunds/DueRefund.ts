/** The payment that refunds a deposit: one per deposit, owed without a time limit. */
import type { PlainPayment } from "../../../../ports/chain/PaymentKinds.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { OWED } from "../../payments/DuePayment.ts"

/** The purpose of a deposit's refund. Stored in the payment's row, so the form never changes. */
export const refundOf = ({ onchainId }: Pick<Deposit, "onchainId">) => `refund:${onchainId}` as const

export const dueRefund = (
  { orderId }: RefundedTransfer,
  deposit: Deposit,
  paid: Pick<PlainPayment, "amount" | "chain" | "currency" | "recipient">
) => ({
  purpose: refundOf(deposit),
  deposit,
  payment: { ...paid, _tag: "Refund" as const, orderId },
  patience: OWED,
  shown: undefined
})
