/** Transactions, refunds and states of a known transfer, in the wire's form. */
import type { SeenDirectPayment } from "../../../ports/store/orders/DirectPayments.ts"
import type { RecordedDeposit, RecordedPayment } from "../../../ports/store/orders/TransferHistory.ts"
import type { Status } from "../../../src/domain/transfer/Status.ts"
import { deliveryOf } from "../../../src/domain/transfer/payment/DeliveryOf.ts"
import { whyReverted } from "../../../src/domain/transfer/Transfer.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import type { RefundRecord } from "../../../src/services/requests/RefundParts.ts"
import type { KnownTransfer } from "../../../src/services/requests/Statuses.ts"
import type { FallbackRow, RefundRow, SettlementRow, TransactionRow } from "../api/Rows.ts"
import type { IntentStatus, IntentStatusV2 } from "../endpoints/status/StatusApi.ts"

/** For people. Clients read `status`. */
const explanations: Readonly<Record<Status, string>> = {
  waiting: "waiting for the deposit",
  depositing: "the deposit was seen and is being confirmed",
  pending: "the deposit is confirmed, the payment is being made",
  submitted: "the payment was sent",
  delayed: "the payment takes longer than expected",
  success: "the payment was made",
  refund: "the deposit was refunded",
  failure: "the deposit could be neither filled nor refunded"
}

export const refundRow = ({ amount, deposit, kind, payment, reason, state }: RefundRecord): RefundRow => ({
  ...(kind === "excess" ? { kind } : {}),
  state,
  reason: reason ?? "N/A",
  chainId: deposit.chainId,
  currency: deposit.currency,
  amount: amount.toString(),
  refunded: payment?.amount.toString() ?? null,
  recipient: payment?.recipient ?? null,
  inTxHash: deposit.transactionId,
  txHash: payment?.transactionId ?? null
})

const fallbackStates = { signed: "submitted", sent: "submitted", included: "paid", reverted: "failed" } as const

/** What the recipient gets in place of a fill whose swap could not be made. Empty when there is none. */
export const fallbackRow = (
  { payments, transfer: { terms } }: Pick<KnownTransfer, "payments" | "transfer">
): { readonly fallback?: FallbackRow } => {
  const paid = payments.find(({ leg }) => leg === "fallback")
  if (paid === undefined) return {}
  const { amount, chainId, currency, recipient, state, transactionId } = paid
  return {
    fallback: {
      state: fallbackStates[state],
      reason: whyReverted(terms),
      chainId,
      currency,
      amount: amount.toString(),
      recipient,
      txHash: transactionId
    }
  }
}

/** Deposits that a reorg removed are no longer among the known ones. */
export const settlementRow = (
  { deposits, settlements }: Pick<KnownTransfer, "deposits" | "settlements">
): ReadonlyArray<SettlementRow> =>
  settlements.flatMap(({ deposit: id, reason, state, transactionId }) => {
    const found = deposits.find(({ deposit }) => deposit.onchainId === id)
    return found === undefined ? [] : [{ inTxHash: found.deposit.transactionId, state, reason, txHash: transactionId }]
  })

/** We do not know what the deposit's own transaction cost its sender, so its fee is null. */
export const inTransaction = ({ deposit }: RecordedDeposit): TransactionRow => ({
  hash: deposit.transactionId,
  chainId: deposit.chainId,
  block: Number(deposit.block.height),
  timestamp: deposit.block.time,
  fee: null
})

export const outTransaction = ({ block, chainId, gasPaid, transactionId }: RecordedPayment): TransactionRow => ({
  hash: transactionId,
  chainId,
  block: block === null ? null : Number(block.height),
  timestamp: block === null ? null : block.time,
  fee: gasPaid === null ? null : gasPaid.toString()
})

/** The answer for an id that does not exist. */
export const unknownStatus: IntentStatus = {
  status: "unknown",
  details: "no request has this id",
  inTxHashes: [],
  txHashes: [],
  refunds: [],
  failReason: "N/A",
  refundFailReason: "N/A"
}

const sentBy = (send: SeenDirectPayment | undefined): ReadonlyArray<string> =>
  send === undefined ? [] : [send.transactionId]

/** The transaction of a send, once it was seen. Its sender paid the fee. */
export const sendTransactions = (
  send: SeenDirectPayment | undefined,
  { terms }: Transfer
): ReadonlyArray<TransactionRow> =>
  send === undefined
    ? []
    : [{
      hash: send.transactionId,
      chainId: terms.originChainId,
      block: Number(send.block.height),
      timestamp: send.block.time,
      fee: null
    }]

const explained = ({ payments, transfer: { status } }: KnownTransfer): string =>
  status === "success" && deliveryOf(payments)?.leg === "fallback"
    ? "the swap could not be made: the recipient was paid what it would have taken"
    : explanations[status]

export const statusRow = (known: KnownTransfer): IntentStatus => {
  const { deposits, payments, refunds, send, transfer } = known
  return {
    status: transfer.status,
    details: explained(known),
    // A send has one transaction, which is both the incoming and the outgoing one.
    inTxHashes: [...new Set([...deposits.map(({ deposit }) => deposit.transactionId), ...sentBy(send)])],
    txHashes: [...payments.map(({ transactionId }) => transactionId), ...sentBy(send)],
    refunds: refunds.map(refundRow),
    ...fallbackRow(known),
    updatedAt: transfer.updatedAt,
    originChainId: transfer.terms.originChainId,
    destinationChainId: transfer.terms.destinationChainId,
    quoteCreatedAt: transfer.quotedAt,
    failReason: transfer.failReason ?? "N/A",
    refundFailReason: transfer.status === "failure" && transfer.failReason !== null ? transfer.failReason : "N/A"
  }
}

/** A state that only newer clients know is the one that it refines. */
const statusesV2: Readonly<Record<IntentStatus["status"], IntentStatusV2["status"]>> = {
  waiting: "waiting",
  depositing: "depositing",
  pending: "pending",
  submitted: "pending",
  delayed: "pending",
  success: "success",
  refund: "refund",
  failure: "failure",
  unknown: "unknown"
}

export const statusV2Row = (row: IntentStatus): IntentStatusV2 => ({
  ...row,
  status: statusesV2[row.status],
  ...(row.updatedAt === undefined ? {} : { time: row.updatedAt })
})
