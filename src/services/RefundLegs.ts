/**
 * The refund legs of a transfer, from its record alone (spec/3 §6): every deposit that goes back, or that is kept because
 * sending it back is not worth its gas, each with its reason.
 *
 * The reason is the verdict made again: the first deposit that was filled claims the order, and another is a DOUBLE_SPEND;
 * what cannot be filled for itself says why; what could have been, but was not, has the transfer's own reason.
 */
import type { Leg } from "../../ports/Payments.ts"
import type { RecordedDeposit, RecordedPayment } from "../../ports/TransferHistory.ts"
import type { Address } from "../domain/chain/Address.ts"
import type { TransactionId } from "../domain/chain/TransactionId.ts"
import type { Deposit } from "../domain/transfer/Deposit.ts"
import type { FailReason } from "../domain/transfer/FailReason.ts"
import { judge } from "../domain/transfer/Judgement.ts"
import type { Transfer } from "../domain/transfer/Transfer.ts"

export interface RefundLeg {
  /** `recorded`: not worth its gas, or of a currency that nobody here can pay. */
  readonly state: "submitted" | "paid" | "failed" | "recorded"
  readonly reason: FailReason
  readonly deposit: Deposit
  /** Undefined for what is only recorded. */
  readonly payment: { readonly transactionId: TransactionId; readonly recipient: Address; readonly amount: bigint } | undefined
}

const legOf = (deposit: Deposit): Leg => `refund:${deposit.onchainId}`

const stateOf = ({ state }: RecordedPayment): RefundLeg["state"] => {
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

export const refundLegs = (
  transfer: Transfer,
  deposits: ReadonlyArray<RecordedDeposit>,
  payments: ReadonlyArray<RecordedPayment>
): ReadonlyArray<RefundLeg> => {
  const fill = payments.find(({ leg }) => leg === "fill")
  return deposits.flatMap(({ deposit, state }): ReadonlyArray<RefundLeg> => {
    const payment = payments.find(({ leg }) => leg === legOf(deposit))
    const reason = reasonOf(transfer, deposit, fill)
    if (payment !== undefined) return [{ state: stateOf(payment), reason, deposit, payment }]
    return state === "unrefundable" ? [{ state: "recorded", reason, deposit, payment: undefined }] : []
  })
}
