/** The owners of the coins that a transaction of bitcoin-vm spends, known once its inputs have been looked up. */
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import type { ChainNetwork } from "../../../chain/ChainNetwork.ts"
import { addressOfScript, scriptOfAddress } from "../BitcoinScript.ts"
import type { BtcTransaction } from "./BtcTransaction.ts"

/** A depository of bitcoin-vm: its address and network. */
export interface BtcDepository {
  readonly address: Address
  readonly network: ChainNetwork
}

/** With the script of each spent coin, in the order of the inputs. Empty for a coinbase. */
export interface SpendingTransaction extends BtcTransaction {
  readonly spent: ReadonlyArray<Uint8Array>
}

/** True for the same bytes in the same order. */
export const sameBytes = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, at) => right[at] === byte)

const scriptOf = ({ address, network }: BtcDepository): Uint8Array | undefined => {
  const script = scriptOfAddress(address, network)
  return Result.isSuccess(script) ? script.success : undefined
}

/** True for the depository's own script. */
export const pays = (script: Uint8Array, depository: BtcDepository): boolean => {
  const own = scriptOf(depository)
  return own !== undefined && sameBytes(script, own)
}

/** True when one of the spent coins was the depository's. */
export const spendsDepository = ({ spent }: Pick<SpendingTransaction, "spent">, depository: BtcDepository): boolean =>
  spent.some((script) => pays(script, depository))

/** The address of the first spent coin that has one. */
export const firstAddress = (
  { spent }: Pick<SpendingTransaction, "spent">,
  network: ChainNetwork
): Address | undefined => {
  for (const script of spent) {
    const address = addressOfScript(script, network)
    if (Result.isSuccess(address)) return address.success
  }
  return undefined
}
