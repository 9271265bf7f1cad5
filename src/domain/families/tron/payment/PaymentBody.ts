/**
 * A plain payment as a transaction of tron-vm (TRON-2, TRON-8). Pure.
 *
 * - TRX to an account: a transfer whose memo is the order id.
 * - TRX to a contract, which no transfer may pay: a call of it with the value, and the order id as its data.
 * - A token: its `transfer`, with the order id appended.
 */
import type { Address } from "../../../chain/Address.ts"
import { Hex, hexToBytes } from "../../../encoding/Hex.ts"
import type { Hex32 } from "../../../encoding/Hex.ts"
import type { RawData } from "../transaction/RawData.ts"

export type PaymentBody = Pick<RawData, "act" | "memo">

/** A payment without calls. */
export interface PlainTransfer {
  /** In EVM form, as all accounts here. */
  readonly owner: Address
  readonly recipient: Address
  /** Undefined for TRX. */
  readonly token: Address | undefined
  /** Smallest units. */
  readonly amount: bigint
  readonly orderId: Hex32
}

const nothing = new Uint8Array(0)

const word = (digits: string): string => digits.padStart(64, "0")

/** The call of a token's `transfer` with an order's id behind its arguments. */
export const transferInput = (recipient: Address, amount: bigint, orderId: Hex32): Hex =>
  Hex.make(`0xa9059cbb${word(recipient.slice(2))}${word(amount.toString(16))}${orderId.slice(2)}`)

/** A transaction that calls a contract. */
export type CallBody = PaymentBody & { readonly act: { readonly _tag: "Trigger" } }

/** The body of a contract's call. `value` in sun. */
export const callBody = (
  owner: Address,
  contract: Address,
  { input, value }: { readonly input: Hex; readonly value: bigint }
): CallBody => ({ act: { _tag: "Trigger", owner, contract, value, input }, memo: nothing })

/** `isContract`: whether the recipient has code. */
export const paymentBody = (
  { amount, orderId, owner, recipient, token }: PlainTransfer,
  isContract: boolean
): PaymentBody => {
  if (token !== undefined) {
    return callBody(owner, token, { input: transferInput(recipient, amount, orderId), value: 0n })
  }
  return isContract
    ? callBody(owner, recipient, { input: Hex.make(orderId), value: amount })
    : { act: { _tag: "Transfer", owner, to: recipient, amount }, memo: hexToBytes(Hex.make(orderId)) }
}
