/** Whose coins a transaction of bitcoin-vm spends, once what its inputs spend has been looked up. */
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import type { ChainNetwork } from "../../../chain/ChainNetwork.ts"
import { addressOfScript, scriptOfAddress } from "../BitcoinScript.ts"
import type { BtcTransaction } from "./BtcTransaction.ts"

/** A depository of bitcoin-vm: an address, and the network that it is of. */
export interface BtcDepository {
  readonly address: Address
  readonly network: ChainNetwork
}

/** With the script of what each input spends, in order; none for a coinbase. */
export interface SpendingTransaction extends BtcTransaction {
  readonly spent: ReadonlyArray<Uint8Array>
}

export const sameBytes = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, at) => right[at] === byte)

const scriptOf = ({ address, network }: BtcDepository): Uint8Array | undefined => {
  const script = scriptOfAddress(address, network)
  return Result.isSuccess(script) ? script.success : undefined
}

export const pays = (script: Uint8Array, depository: BtcDepository): boolean => {
  const own = scriptOf(depository)
  return own !== undefined && sameBytes(script, own)
}

/** True when any of its coins was the depository's. */
export const spendsDepository = ({ spent }: Pick<SpendingTransaction, "spent">, depository: BtcDepository): boolean =>
  spent.some((script) => pays(script, depository))

/** The address that the first coin was paid to whose script pays one. */
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
