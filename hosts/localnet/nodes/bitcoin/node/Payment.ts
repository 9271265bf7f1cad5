/** Transactions of P2WPKH keys, built and signed by bitcoinjs-lib like in any wallet. */
import { networks, Psbt, script as scripts } from "bitcoinjs-lib"
import type { Transaction } from "bitcoinjs-lib"
import type { BitcoinKey } from "./LocalKey.ts"

export interface Spent {
  readonly id: string
  readonly index: number
  readonly value: bigint
  readonly key: BitcoinKey
}

export interface Paid {
  readonly script: Uint8Array
  readonly amount: bigint
}

/** A transaction that pays more may replace it (BIP-125). */
const REPLACEABLE = 0xfffffffd

const OP_RETURN = 0x6a

/** An output with a text and no money, in the shortest push. */
export const saying = (text: string): Paid => ({
  script: scripts.compile([OP_RETURN, new TextEncoder().encode(text)]),
  amount: 0n
})

export interface Plan {
  readonly inputs: ReadonlyArray<Spent>
  readonly outputs: ReadonlyArray<Paid>
}

/** Not signed yet. */
export const psbtOf = ({ inputs, outputs }: Plan): Psbt => {
  const psbt = new Psbt({ network: networks.regtest, maximumFeeRate: 1_000_000 })
  for (const { id, index, key, value } of inputs) {
    psbt.addInput({ hash: id, index, sequence: REPLACEABLE, witnessUtxo: { script: key.script, value } })
  }
  for (const { amount, script } of outputs) psbt.addOutput({ script, value: amount })
  return psbt
}

/** With all inputs signed, as a final transaction. */
export const signed = (plan: Plan): Transaction => {
  const psbt = psbtOf(plan)
  plan.inputs.forEach(({ key }, at) => psbt.signInput(at, { publicKey: key.publicKey, sign: key.sign }))
  return psbt.finalizeAllInputs().extractTransaction(true)
}
