/**
 * The PSBT of version 0 that a wallet signs: the coins with what a signer must see of each, and the outputs (BITCOIN-5,
 * BIP-174, BIP-371). Nothing in it is optional, so one transaction has one form, and a client can compare bytes.
 */
import type { BtcOutpoint, BtcOutput } from "../evidence/BtcTransaction.ts"
import type { Entry, Psbt } from "../Psbt.ts"
import type { KeyScript } from "../spending/KeyScript.ts"
import { replaceableTransaction } from "../spending/ReplaceableTransaction.ts"
import { writeBitcoinTransaction, writeOutput } from "../WriteTransaction.ts"

/** A coin and what shows a signer that it is the owner's. */
export interface ShownCoin extends BtcOutpoint {
  readonly shown:
    /** The whole transaction that made it: a signature of P2PKH does not cover the amount. */
    | { readonly _tag: "Source"; readonly transaction: Uint8Array }
    | { readonly _tag: "Output"; readonly output: BtcOutput }
}

/** Types of the keys of an input's map (BIP-174, BIP-371). */
export const inputKeys = { source: 0x00, output: 0x01, redeemScript: 0x04, internalKey: 0x17 } as const

const entry = (key: number, value: Uint8Array): Entry => ({ key: Uint8Array.of(key), value })

const inputMap = ({ shown }: ShownCoin, owner: KeyScript): ReadonlyArray<Entry> => {
  const spent = shown._tag === "Source"
    ? entry(inputKeys.source, shown.transaction)
    : entry(inputKeys.output, writeOutput(shown.output))
  switch (owner._tag) {
    case "P2PKH":
    case "P2WPKH":
      return [spent]
    case "P2SH-P2WPKH":
      return [spent, entry(inputKeys.redeemScript, owner.redeemScript)]
    case "P2TR":
      return [spent, entry(inputKeys.internalKey, owner.internalKey)]
  }
}

/** All coins are of one owner. */
export const unsignedPsbt = (
  coins: ReadonlyArray<ShownCoin>,
  outputs: ReadonlyArray<BtcOutput>,
  owner: KeyScript
): Psbt => {
  const transaction = replaceableTransaction(coins, outputs)
  return {
    transaction,
    global: [entry(0x00, writeBitcoinTransaction(transaction))],
    inputs: coins.map((coin) => inputMap(coin, owner)),
    outputs: outputs.map(() => [])
  }
}
