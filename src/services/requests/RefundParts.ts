/**
 * The refund parts of a transfer, from its record alone (REFUND-4): every deposit that is refunded, or kept because a
 * refund is not worth its gas, each with its reason; and the excess of a filled deposit, which has no reason because
 * nothing failed.
 *
 * The reason repeats the verdict: the first filled deposit has the order, and any other is a DOUBLE_SPEND. A deposit
 * that cannot be filled by itself says why. One that could have been filled but was not has the transfer's own reason.
 */
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import type { OrdersDeposit, RecordedDeposit, RecordedPayment } from "../../../ports/store/orders/TransferHistory.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { TransactionId } from "../../domain/chain/TransactionId.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { deliveryOf } from "../../domain/transfer/payment/DeliveryOf.ts"
import { unpaidOf } from "../../domain/transfer/payment/MissingDeposit.ts"
import { excessOf } from "../../domain/transfer/refund/Excess.ts"
import type { FailReason } from "../../domain/transfer/FailReason.ts"
import { judge } from "../../domain/transfer/deposit/Judgement.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"

/** A refund of a transfer, as status and history list it (STATUS-6). */
export interface RefundRecord {
  /** `excess`: the part of a deposit that its fill or refund was not made for. Otherwise the whole deposit. */
  readonly kind: "deposit" | "excess"
  /**
   * `recorded`: not worth its gas, or in a currency that cannot be paid here. `held`: no oracle attests it, and the cap
   * on unattested refunds holds it back, until there is room and it is retried, or an operator decides.
   */
  readonly state: "submitted" | "paid" | "failed" | "held" | "recorded"
  /** Why it was not filled. Undefined for an excess. */
  readonly reason: FailReason | undefined
  readonly deposit: Deposit
  /** The amount to refund before gas, smallest units of the deposit's currency. */
  readonly amount: bigint
  /** Undefined when it is only recorded. */
  readonly payment:
    | { readonly transactionId: TransactionId; readonly recipient: Address; readonly amount: bigint }
    | undefined
}

const legOf = (deposit: Deposit): PaymentPurpose => `refund:${deposit.onchainId}`

const stateOf = ({ state }: RecordedPayment): RefundRecord["state"] => {
  switch (state) {
    case "signed":
    case "sent":
      return "submitted"
    case "included":
      return "paid"
    case "reverted":
      return "failed"
  }
}

const reasonOf = (transfer: Transfer, deposit: Deposit, fill: RecordedPayment | undefined): FailReason => {
  if (fill !== undefined && fill.onchainId !== deposit.onchainId) return "DOUBLE_SPEND"
  const verdict = judge(transfer, deposit, "first")
  return verdict._tag === "Refund" ? verdict.reason : transfer.failReason ?? "UNKNOWN"
}

/**
 * An order has at most one excess: beside the refund of its deposit (REFUND-9), or of the deposit that has the fill now.
 */
const excessLeg = (
  transfer: Transfer,
  deposits: ReadonlyArray<RecordedDeposit>,
  payments: ReadonlyArray<RecordedPayment>,
  fill: RecordedPayment | undefined
): ReadonlyArray<RefundRecord> => {
  const payment = payments.find(({ leg }) => leg.startsWith("excess:"))
  const refund = payments.find(({ leg, onchainId }) => leg.startsWith("refund:") && onchainId === payment?.onchainId)
  const beside = refund ?? fill
  const answered = deposits.find(({ deposit }) => deposit.onchainId === (beside ?? payment)?.onchainId)
  if (answered === undefined) return []
  const { deposit, state } = answered
  const unpaid = beside === undefined ? undefined : unpaidOf(transfer, [beside], deposit)
  const common = {
    kind: "excess",
    reason: undefined,
    deposit,
    amount: unpaid ?? excessOf(transfer, deposit)
  } as const
  if (payment !== undefined) return [{ ...common, state: stateOf(payment), payment }]
  // A filling ends as filled after it has returned what is worth its gas.
  return state === "filled" && common.amount > 0n ? [{ ...common, state: "recorded", payment: undefined }] : []
}

/** All refunds of a transfer: of its deposits, in their order, and of the excess. */
export const refundRecords = (
  transfer: Transfer,
  deposits: ReadonlyArray<OrdersDeposit>,
  payments: ReadonlyArray<RecordedPayment>
): ReadonlyArray<RefundRecord> => {
  const fill = deliveryOf(payments)
  const refunds = deposits.flatMap(({ deposit, isHeld, state }): ReadonlyArray<RefundRecord> => {
    const payment = payments.find(({ leg }) => leg === legOf(deposit))
    const common = {
      kind: "deposit",
      reason: reasonOf(transfer, deposit, fill),
      deposit,
      amount: deposit.amount
    } as const
    if (payment !== undefined) return [{ ...common, state: stateOf(payment), payment }]
    return state === "unrefundable" ? [{ ...common, state: isHeld ? "held" : "recorded", payment: undefined }] : []
  })
  return [...refunds, ...excessLeg(transfer, deposits, payments, fill)]
}
