/** Transactions of the simulated Bitcoin chain: read from bytes, signed by one key, and checked as nodes check them. */
import { nativeCurve } from "../../../adapters/signing/secp256k1/NativeCurve.ts"
import { nobleCurve } from "../../../src/domain/encoding/NobleCurve.ts"
import { readBitcoinTransaction } from "../../../src/domain/families/bitcoin/BitcoinTransaction.ts"
import { makeByteReader, readMany, readSized } from "../../../src/domain/families/bitcoin/ByteReader.ts"
import type { BtcOutput, BtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { readStripped } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { signedTransaction } from "../../../src/domain/families/bitcoin/signing/SignedTransaction.ts"
import { SIGHASH_ALL, signingDigests } from "../../../src/domain/families/bitcoin/signing/SigningDigest.ts"
import type { Coin } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import { p2wpkhOf } from "../../../src/domain/families/bitcoin/spending/KeyScript.ts"
import { replaceableTransaction } from "../../../src/domain/families/bitcoin/spending/ReplaceableTransaction.ts"
import { writeBitcoinTransaction } from "../../../src/domain/families/bitcoin/WriteTransaction.ts"
import type { CoinKey } from "./Terms.ts"

const curve = await nativeCurve() ?? nobleCurve

export interface CoinTransaction extends BtcTransaction {
  readonly bytes: Uint8Array
  /** Without witnesses. */
  readonly stripped: Uint8Array
  readonly virtualBytes: number
}

/** Undefined for bytes that are no transaction. */
export const readCoinTransaction = (bytes: Uint8Array): CoinTransaction | undefined => {
  const read = readStripped(bytes)
  return read === undefined
    ? undefined
    : { ...read, bytes, virtualBytes: Math.ceil((3 * read.stripped.length + bytes.length) / 4) }
}

const certain = (bytes: Uint8Array): CoinTransaction => {
  const read = readCoinTransaction(bytes)
  if (read === undefined) throw new Error("the simulation wrote bytes that are no transaction")
  return read
}

/** One that nobody has signed. Lies of nodes are made of these. */
export const unsigned = (coins: BtcTransaction["inputs"], outputs: ReadonlyArray<BtcOutput>): CoinTransaction =>
  certain(writeBitcoinTransaction(replaceableTransaction(coins, outputs)))

/** Spends coins of one key. */
export const signedBy = (
  { privateKey, publicKey, script }: CoinKey,
  coins: ReadonlyArray<Coin>,
  outputs: ReadonlyArray<BtcOutput>
): CoinTransaction => {
  const transaction = replaceableTransaction(coins, outputs)
  const digests = signingDigests(transaction, coins.map(({ amount }) => ({ amount, script })))
  const shown = digests.map((digest) => ({ signature: curve.sign(digest, privateKey).compact, publicKey }))
  return certain(signedTransaction(transaction, shown).bytes)
}

/** The stacks of the inputs. Undefined when there are none. */
const witnessesOf = ({ bytes, inputs, stripped }: CoinTransaction) => {
  if (bytes.length === stripped.length) return undefined
  // Version, marker and flag, then inputs and outputs, which are as in the stripped form.
  const reader = makeByteReader(bytes.subarray(stripped.length - 2, bytes.length - 4))
  return inputs.map(() => readMany(reader, readSized))
}

/** r‖s of a signature in DER, with its sighash. Undefined unless it covers the whole transaction. */
const compactOf = (encoded: Uint8Array): Uint8Array | undefined => {
  if (encoded.at(-1) !== SIGHASH_ALL) return undefined
  const reader = makeByteReader(encoded.subarray(2, encoded.length - 1))
  const compact = new Uint8Array(64)
  for (const end of [32, 64]) {
    reader.take(1)
    const part = readSized(reader)
    if (part === undefined || part.length > 33) return undefined
    const number = part.subarray(Math.max(0, part.length - 32))
    compact.set(number, end - number.length)
  }
  return compact
}

/**
 * One of the keys that could have signed is the right one. By recovery, because libsecp256k1 does that: noble's `verify`
 * would take a twenty-fifth of a run's time. Nodes refuse signatures with a high s.
 */
const isBy = (compact: Uint8Array, digest: Uint8Array, key: Uint8Array): boolean => {
  if ((compact[32] ?? 0xff) >= 0x80) return false
  return ([0, 1] as const).some((recovery) => {
    try {
      const [, ...point] = curve.recover(digest, { compact, recovery })
      const parity = (point.at(-1) ?? 0) % 2
      return sameBytes(Uint8Array.of(2 + parity, ...point.slice(0, 32)), key)
    } catch {
      return false
    }
  })
}

/** Whether the owner of each coin has signed the transaction. Only P2WPKH coins can be spent here. */
export const isSigned = (transaction: CoinTransaction, spent: ReadonlyArray<BtcOutput>): boolean => {
  const [bare, witnesses] = [readBitcoinTransaction(transaction.stripped), witnessesOf(transaction)]
  if (bare === undefined || witnesses === undefined) return false
  const digests = signingDigests(bare, spent)
  return spent.every(({ script }, at) => {
    const [encoded, key] = witnesses[at] ?? []
    const digest = digests[at]
    const compact = encoded === undefined ? undefined : compactOf(encoded)
    return key !== undefined && digest !== undefined && compact !== undefined && sameBytes(p2wpkhOf(key), script) &&
      isBy(compact, digest, key)
  })
}
