/**
 * What a transfer shows, the same for the service that fills and for the oracle: into the depository it is a deposit,
 * anywhere else a payment. The order is named by a memo that is its id and nothing else.
 */
import { type Address, type DepositEvidence, Hex32, type PaymentEvidence } from "causeway-kit"
import type { Transfer } from "../ledger/Transfer.ts"

/** A transfer is the only one of its transaction. */
const INDEX = 0

const NO_ORDER = Hex32.make(`0x${"00".repeat(32)}`)

/** Undefined for a memo that is anything else. */
export const orderIdIn = (memo: string): Hex32 | undefined =>
  /^0x[0-9a-f]{64}$/.test(memo) && !/^0x0+$/.test(memo) ? Hex32.make(`0x${memo.slice(2)}`) : undefined

export interface TransferFacts {
  readonly deposits: ReadonlyArray<DepositEvidence>
  readonly payments: ReadonlyArray<PaymentEvidence>
  readonly orderIds: ReadonlyArray<Hex32>
}

const nothing: TransferFacts = { deposits: [], payments: [], orderIds: [] }

/** Of a transfer that succeeded; one that failed moved nothing. */
export const transferFacts = (transfer: Transfer, depository: Address): TransferFacts => {
  const { amount, currency, memo, recipient, sender } = transfer
  if (amount === 0n || sender === recipient) return nothing
  const orderId = orderIdIn(memo)
  if (recipient === depository) {
    return {
      ...nothing,
      deposits: [{ depository, index: INDEX, depositId: orderId ?? NO_ORDER, depositor: sender, currency, amount }]
    }
  }
  return {
    ...nothing,
    payments: [{ recipient, currency, amount, through: { _tag: "Direct" } }],
    orderIds: orderId === undefined ? [] : [orderId]
  }
}
