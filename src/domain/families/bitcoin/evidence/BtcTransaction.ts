/**
 * A transaction of bitcoin-vm, from which deposits and payments are decoded, and its bytes (BIP-144). Its id is
 * computed from them: bytes that hash to the requested id are that transaction, whatever their source.
 *
 * Total: anything that is not a transaction from the first byte to the last is undefined. What consensus checks (sums,
 * scripts, proof of work) is not checked again, because a block that holds the transaction has been checked.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes } from "@noble/hashes/utils.js"
import { type ByteReader, makeByteReader, readMany, readSized } from "../ByteReader.ts"
import { hexDigits } from "../../../encoding/HexDigits.ts"

/** The output that an input spends. */
export interface BtcOutpoint {
  /** In the usual display order: the reverse of its bytes on the wire. */
  readonly transactionId: string
  readonly index: number
}

/** An output's script and amount. */
export interface BtcOutput {
  readonly script: Uint8Array
  /** Satoshi. */
  readonly amount: bigint
}

export interface BtcTransaction {
  /** In the usual display order. */
  readonly id: string
  readonly inputs: ReadonlyArray<BtcOutpoint>
  readonly outputs: ReadonlyArray<BtcOutput>
}

const NOTHING = "00".repeat(32)
const NO_INDEX = 0xffff_ffff

/** A block's first transaction, which spends nothing. */
export const isCoinbase = ({ inputs: [first] }: Pick<BtcTransaction, "inputs">): boolean =>
  first?.transactionId === NOTHING && first.index === NO_INDEX

const readInput = (reader: ByteReader): BtcOutpoint | undefined => {
  const hash = reader.take(32)
  const index = reader.uint32()
  const script = readSized(reader)
  const sequence = reader.uint32()
  return hash === undefined || index === undefined || script === undefined || sequence === undefined
    ? undefined
    : { transactionId: hexDigits(hash.toReversed()), index }
}

const readOutput = (reader: ByteReader): BtcOutput | undefined => {
  const amount = reader.int64()
  const script = readSized(reader)
  return amount === undefined || amount < 0n || script === undefined ? undefined : { script, amount }
}

const isSegwit = (bytes: Uint8Array): boolean => bytes[4] === 0 && bytes[5] === 1

const bodyOf = (bytes: Uint8Array, from: number) => {
  const reader = makeByteReader(bytes.subarray(from))
  const inputs = readMany(reader, readInput)
  const outputs = inputs === undefined ? undefined : readMany(reader, readOutput)
  return inputs === undefined || outputs === undefined ? undefined : { reader, inputs, outputs }
}

const VERSION_BYTES = 4
const MARKER_BYTES = 2
const LOCK_BYTES = 4

/** Skips the stack of every input. Witnesses are not part of the id. */
const readWitnesses = (reader: ByteReader, inputs: number): boolean => {
  for (let at = 0; at < inputs; at++) if (readMany(reader, readSized) === undefined) return false
  return true
}

/** A transaction and its bytes without witnesses, which its id is the hash of. */
export interface StrippedTransaction extends BtcTransaction {
  readonly stripped: Uint8Array
}

/** Undefined for bytes that are not exactly one transaction. */
export const readStripped = (bytes: Uint8Array): StrippedTransaction | undefined => {
  const segwit = isSegwit(bytes)
  const from = VERSION_BYTES + (segwit ? MARKER_BYTES : 0)
  const body = bodyOf(bytes, from)
  if (body === undefined) return undefined
  const { inputs, outputs, reader } = body
  const afterBody = reader.left()
  if (segwit && !readWitnesses(reader, inputs.length)) return undefined
  if (reader.left() !== LOCK_BYTES || inputs.length === 0 || outputs.length === 0) return undefined
  const stripped = segwit
    ? concatBytes(
      bytes.subarray(0, VERSION_BYTES),
      bytes.subarray(from, bytes.length - afterBody),
      bytes.subarray(bytes.length - LOCK_BYTES)
    )
    : bytes
  return { id: hexDigits(sha256(sha256(stripped)).toReversed()), inputs, outputs, stripped }
}

/** Undefined for bytes that are not exactly one transaction. */
export const readBtcTransaction = (bytes: Uint8Array): BtcTransaction | undefined => {
  const read = readStripped(bytes)
  if (read === undefined) return undefined
  const { stripped: _, ...transaction } = read
  return transaction
}
