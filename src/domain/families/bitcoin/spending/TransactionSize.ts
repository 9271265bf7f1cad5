/**
 * The size of a transaction before it is signed, in weight units (BIP-141): a virtual byte is four of them.
 *
 * Never below the signed size: signatures are counted at their longest (72 bytes with a low s, or 65 for Schnorr with a
 * sighash byte). A key of P2PKH counts as compressed. One that is not makes its input 32 bytes longer, and the
 * transaction pays a little less than the rate.
 */
import { writeCompactSize } from "../ByteReader.ts"
import type { KeyScriptKind } from "./KeyScript.ts"

/** Outpoint, length of the input script, sequence. */
const BARE_INPUT = 4 * (36 + 1 + 4)
/** The number of items, then a signature and a key, each with its length. */
const KEY_WITNESS = 1 + (1 + 72) + (1 + 33)

const inputWeights: { readonly [K in KeyScriptKind]: number } = {
  P2PKH: BARE_INPUT + 4 * ((1 + 72) + (1 + 33)),
  P2WPKH: BARE_INPUT + KEY_WITNESS,
  "P2SH-P2WPKH": BARE_INPUT + 4 * (1 + 22) + KEY_WITNESS,
  P2TR: BARE_INPUT + 1 + (1 + 65)
}

/** Nodes relay no transaction above it. */
export const MOST_WEIGHT = 400_000

const sizeOfCount = (count: number): number => writeCompactSize(count).length

const outputWeight = (script: Uint8Array): number => 4 * (8 + sizeOfCount(script.length) + script.length)

/** The most weight of a transaction that spends these inputs to these scripts. */
export const weightOf = (
  inputs: ReadonlyArray<KeyScriptKind>,
  scripts: ReadonlyArray<Uint8Array>
): number => {
  const hasWitness = inputs.some((kind) => kind !== "P2PKH")
  const counts = 4 * (sizeOfCount(inputs.length) + sizeOfCount(scripts.length))
  // With a witness: marker and flag, and an empty stack for each input that has none.
  const witness = hasWitness ? 2 + inputs.filter((kind) => kind === "P2PKH").length : 0
  return 4 * (4 + 4) + counts + witness +
    inputs.reduce((sum, kind) => sum + inputWeights[kind], 0) +
    scripts.reduce((sum, script) => sum + outputWeight(script), 0)
}

/** What fees are charged for. */
export const virtualBytesOf = (weight: number): number => Math.ceil(weight / 4)
