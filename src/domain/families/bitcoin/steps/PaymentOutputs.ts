/** What a user's transaction pays: the payee, and a note that names the order. Change comes after them. */
import type { Hex32 } from "../../../encoding/Hex.ts"
import type { BtcOutput } from "../evidence/BtcTransaction.ts"
import { noteOfOrder } from "../evidence/OpReturn.ts"

/** What a user's transaction pays (BITCOIN-5). */
export interface UserPayment {
  /** The script of the depository, of a direct payment's recipient, or of a deposit address. */
  readonly payee: Uint8Array
  /** Satoshi. */
  readonly amount: bigint
  /** Undefined for a deposit address, which belongs to one order. */
  readonly orderId: Hex32 | undefined
}

/** Every order's note has the same size, so coins and fee can be chosen before the order exists. */
export const paymentOutputs = ({ amount, orderId, payee }: UserPayment): ReadonlyArray<BtcOutput> => [
  { script: payee, amount },
  ...(orderId === undefined ? [] : [{ script: noteOfOrder(orderId), amount: 0n }])
]
