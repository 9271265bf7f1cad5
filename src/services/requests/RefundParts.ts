/**
 * The refund legs of a transfer, from its record alone (REFUND-4): every deposit that goes back, or that is kept
 * because sending it back is not worth its gas, each with its reason; and what a filled deposit had above the quoted
 * amount, which has none: nothing failed.
 *
 * The reason is the verdict made again: the first deposit that was filled claims the order, and another is a
 * DOUBLE_SPEND; what cannot be filled for itself says why; what could have been, but was not, has the transfer's own
 * reason.
 */
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import type { OrdersDeposit, RecordedDeposit, RecordedPayment } from "../../../ports/store/orders/TransferHistory.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { TransactionId } from "../../domain/chain/TransactionId.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { deliveryOf } from "../../domain/transfer/payment/DeliveryOf.ts"
import { excessOf } from "../../domain/transfer/refund/Excess.ts"
import type { FailReason } from "../../domain/transfer/FailReason.ts"
import { judge } from "../../domain/transfer/deposit/Judgement.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"

export interface RefundRecord {
  /** `excess`: what is above the quoted amount of a deposit that was filled; else all of the deposit. */
  readonly kind: "deposit" | "excess"
  /**
   * `recorded`: not worth its gas, or of a currency that nobody here can pay. `held`: no oracle attests it, and the cap
   * on what is given back like that holds it back, until there is room and somebody has it tried again, or an operator
   * decides.
   */
  readonly state: "submitted" | "paid" | "failed" | "held" | "recorded"
  /** Why it was not filled; undefined for an excess. */
  readonly reason: FailReason | undefined
  readonly deposit: Deposit
  /** What goes back, before the gas of it: smallest units of the deposit's currency. */
  readonly amount: bigint
  /** Undefined for what is only recorded. */
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
 * An order is filled once, so there is one; by the deposit that has its fill now, wherever that stood when it was paid.
 */
const excessLeg = (
  transfer: Transfer,
  deposits: ReadonlyArray<RecordedDeposit>,
  payments: ReadonlyArray<RecordedPayment>,
  fill: RecordedPayment | undefined
): ReadonlyArray<RefundRecord> => {
  const payment = payments.find(({ leg }) => leg.startsWith("excess:"))
  const filled = deposits.find(({ deposit }) => deposit.onchainId === (fill ?? payment)?.onchainId)
  if (filled === undefined) return []
  const { deposit, state } = filled
  const common = { kind: "excess", reason: undefined, deposit, amount: excessOf(transfer, deposit) } as const
  if (payment !== undefined) return [{ ...common, state: stateOf(payment), payment }]
  // A filling ends as filled after it has sent back what is worth its gas.
  return state === "filled" && common.amount > 0n ? [{ ...common, state: "recorded", payment: undefined }] : []
}

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
