/**
 * What a transfer shows, for the service that fills and for the oracle alike. A transfer into the depository is a
 * deposit, any other a payment. A memo that is exactly an order's id names the order.
 */
import { type Address, type DepositEvidence, Hex32, type PaymentEvidence } from "causeway-kit"
import type { Transfer } from "../ledger/Transfer.ts"

/** Every transaction has exactly one transfer. */
const INDEX = 0

const NO_ORDER = Hex32.make(`0x${"00".repeat(32)}`)

/** Undefined for any other memo. */
export const orderIdIn = (memo: string): Hex32 | undefined =>
  /^0x[0-9a-f]{64}$/.test(memo) && !/^0x0+$/.test(memo) ? Hex32.make(`0x${memo.slice(2)}`) : undefined

export interface TransferFacts {
  readonly deposits: ReadonlyArray<DepositEvidence>
  readonly payments: ReadonlyArray<PaymentEvidence>
  readonly orderIds: ReadonlyArray<Hex32>
}

const nothing: TransferFacts = { deposits: [], payments: [], orderIds: [] }

/** For a transfer that succeeded. One that failed moved nothing. */
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
