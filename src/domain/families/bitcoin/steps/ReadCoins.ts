/** The coins that a PSBT spends, as it shows them, and how their owner signs. */
import { sha256 } from "@noble/hashes/sha2.js"
import * as Result from "effect/Result"
import { hexDigits } from "../../../encoding/HexDigits.ts"
import type { BitcoinInput } from "../BitcoinTransaction.ts"
import { makeByteReader, readSized } from "../ByteReader.ts"
import { readBtcTransaction } from "../evidence/BtcTransaction.ts"
import type { BtcOutput } from "../evidence/BtcTransaction.ts"
import { sameBytes } from "../evidence/SpentCoins.ts"
import type { Entry, Psbt } from "../Psbt.ts"
import type { Coin } from "../spending/FundOutputs.ts"
import { isTaprootOf, keyScriptOf, redeems } from "../spending/KeyScript.ts"
import type { KeyScript } from "../spending/KeyScript.ts"
import { inputKeys } from "./UnsignedPsbt.ts"
import type { ShownCoin } from "./UnsignedPsbt.ts"

/** A coin of the PSBT, as the PSBT itself shows it. */
export type ReadCoin = Coin & ShownCoin

const valueOf = (map: ReadonlyArray<Entry>, key: number): Uint8Array | undefined =>
  map.find((entry) => entry.key.length === 1 && entry.key[0] === key)?.value

const readOutput = (bytes: Uint8Array): BtcOutput | undefined => {
  const reader = makeByteReader(bytes)
  const amount = reader.int64()
  const script = readSized(reader)
  return amount === undefined || amount < 0n || script === undefined || !reader.isAtEnd()
    ? undefined
    : { amount, script }
}

/**
 * SECURITY: the id covers every byte of a transaction without witnesses. With them, bytes could be changed that no id
 * covers.
 */
const readSource = (bytes: Uint8Array, { index, transactionId }: BitcoinInput): BtcOutput | undefined =>
  hexDigits(sha256(sha256(bytes)).toReversed()) === transactionId
    ? readBtcTransaction(bytes)?.outputs[index]
    : undefined

const readCoin = (input: BitcoinInput, map: ReadonlyArray<Entry>, script: Uint8Array): ReadCoin | undefined => {
  const [source, output] = [valueOf(map, inputKeys.source), valueOf(map, inputKeys.output)]
  const spent = source === undefined ? output && readOutput(output) : readSource(source, input)
  if (spent === undefined || !sameBytes(spent.script, script)) return undefined
  const { index, transactionId } = input
  return {
    transactionId,
    index,
    amount: spent.amount,
    shown: source === undefined ? { _tag: "Output", output: spent } : { _tag: "Source", transaction: source }
  }
}

/** How the owner of a script signs, with the key that the first input shows if the script does not reveal it. */
const ownerIn = ({ inputs: [first = []] }: Psbt, script: Uint8Array): KeyScript | undefined => {
  const [redeemScript, internalKey] = [valueOf(first, inputKeys.redeemScript), valueOf(first, inputKeys.internalKey)]
  if (redeemScript !== undefined && redeems(redeemScript, script)) return { _tag: "P2SH-P2WPKH", redeemScript }
  if (internalKey !== undefined && isTaprootOf(internalKey, script)) return { _tag: "P2TR", internalKey }
  const owner = keyScriptOf(script, undefined)
  return Result.isSuccess(owner) ? owner.success : undefined
}

/** The coins of a PSBT, all of one owner. */
export interface ReadSpending {
  readonly owner: KeyScript
  readonly coins: ReadonlyArray<ReadCoin>
}

/** Undefined unless every coin is shown to be this script's, in the way that its kind needs, and is spent once. */
export const spendingIn = (psbt: Psbt, script: Uint8Array): ReadSpending | undefined => {
  const owner = ownerIn(psbt, script)
  if (owner === undefined) return undefined
  const { inputs, transaction } = psbt
  const coins = transaction.inputs.flatMap((input, at) => readCoin(input, inputs[at] ?? [], script) ?? [])
  const names = new Set(coins.map(({ index, transactionId }) => `${transactionId}:${index}`))
  const needed = owner._tag === "P2PKH" ? "Source" : "Output"
  return names.size === transaction.inputs.length && coins.every(({ shown }) => shown._tag === needed)
    ? { owner, coins }
    : undefined
}
