/**
 * The sweep of a deposit address as a transaction of tron-vm (TRON-21), which the address's own key signs. Pure.
 *
 * - TRX: a call of the depository's `depositNative`, which names the depositor.
 * - A token: its `transfer` to the depository, with the order id appended. The depositor is then the address. That is
 *   one transaction where `depositErc20` would need an approval before it, and the address would pay for both.
 */
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import { abiAddress, abiBytes32, abiTuple, encodeAbi } from "../../../encoding/Abi.ts"
import { Hex } from "../../../encoding/Hex.ts"
import type { Hex32 } from "../../../encoding/Hex.ts"
import { callBody, transferInput } from "../payment/PaymentBody.ts"
import type { CallBody } from "../payment/PaymentBody.ts"

/** All accounts in EVM form. */
export interface SweptDeposit {
  readonly owner: Address
  readonly depository: Address
  readonly depositor: Address
  /** Undefined for TRX. */
  readonly token: Address | undefined
  /** Smallest units. */
  readonly amount: bigint
  readonly depositId: Hex32
}

const DEPOSIT_NATIVE = "49290c1c"
const native = abiTuple({ depositor: abiAddress, id: abiBytes32 })

/** Never throws: the accounts were decoded from 20 bytes. */
export const sweepBody = ({ amount, depositId, depositor, depository, owner, token }: SweptDeposit): CallBody => {
  if (token !== undefined) {
    return callBody(owner, token, { input: transferInput(depository, amount, depositId), value: 0n })
  }
  const named = Result.getOrThrow(encodeAbi(native, { depositor, id: depositId }))
  return callBody(owner, depository, { input: Hex.make(`0x${DEPOSIT_NATIVE}${named.slice(2)}`), value: amount })
}
