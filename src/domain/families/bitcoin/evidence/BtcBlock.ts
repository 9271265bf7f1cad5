/**
 * The transactions of a block that have a wanted output or show a key, from the block's own bytes. Everything else in
 * it is only skipped: a block holds thousands of transactions, and hashing each of them would stop all other work for a
 * tenth of a second.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { type ByteReader, makeByteReader, readSized } from "../ByteReader.ts"
import { hexDigits } from "../../../encoding/HexDigits.ts"

/** A block's hash, and those of its transactions that are wanted. */
export interface BlockPart {
  /** In the usual display order. */
  readonly hash: string
  /** The bytes of each of the transactions, in the block's order. */
  readonly transactions: ReadonlyArray<Uint8Array>
}

const HEADER_BYTES = 80

const skipInput = (reader: ByteReader): boolean =>
  reader.take(36) !== undefined && readSized(reader) !== undefined && reader.take(4) !== undefined

const skipEach = (reader: ByteReader, count: number, skip: (reader: ByteReader) => boolean): boolean => {
  for (let at = 0; at < count; at++) if (!skip(reader)) return false
  return true
}

const skipStack = (reader: ByteReader): boolean => {
  const items = reader.compactSize()
  return items !== undefined && skipEach(reader, items, (each) => readSized(each) !== undefined)
}

/** By an output's script. */
type IsWanted = (script: Uint8Array) => boolean

/** Whether one of the outputs is wanted. Undefined when the bytes are no outputs. */
const skipOutputs = (reader: ByteReader, isWanted: IsWanted): boolean | undefined => {
  const count = reader.compactSize()
  if (count === undefined) return undefined
  let wanted = false
  for (let at = 0; at < count; at++) {
    const script = reader.take(8) === undefined ? undefined : readSized(reader)
    if (script === undefined) return undefined
    wanted ||= isWanted(script)
  }
  return wanted
}

/** Goes past one transaction (BIP-144). Undefined when the bytes are none. */
const skipTransaction = (reader: ByteReader, isWanted: IsWanted): boolean | undefined => {
  if (reader.take(4) === undefined) return undefined
  const first = reader.compactSize()
  // No transaction is without inputs, so a zero is the marker of the form with witnesses.
  const hasWitness = first === 0
  if (hasWitness && reader.take(1)?.[0] !== 1) return undefined
  const inputs = hasWitness ? reader.compactSize() : first
  if (inputs === undefined || !skipEach(reader, inputs, skipInput)) return undefined
  const wanted = skipOutputs(reader, isWanted)
  if (wanted === undefined || (hasWitness && !skipEach(reader, inputs, skipStack))) return undefined
  return reader.take(4) === undefined ? undefined : wanted
}

/** `takes`: of a transaction's bytes, and whether it has a wanted output. */
const selectedInBlock = (
  bytes: Uint8Array,
  isWanted: IsWanted,
  takes: (wanted: boolean, transaction: Uint8Array) => boolean
): BlockPart | undefined => {
  const reader = makeByteReader(bytes)
  const header = reader.take(HEADER_BYTES)
  const count = header === undefined ? undefined : reader.compactSize()
  if (header === undefined || count === undefined) return undefined
  const transactions: Array<Uint8Array> = []
  for (let at = 0; at < count; at++) {
    const from = bytes.length - reader.left()
    const wanted = skipTransaction(reader, isWanted)
    if (wanted === undefined) return undefined
    const to = bytes.length - reader.left()
    if (takes(wanted, bytes.subarray(from, to))) transactions.push(bytes.slice(from, to))
  }
  return reader.isAtEnd() ? { hash: hexDigits(sha256(sha256(header)).toReversed()), transactions } : undefined
}

/** Those with a wanted output. Undefined unless all bytes together are a block. */
export const wantedInBlock = (bytes: Uint8Array, isWanted: IsWanted): BlockPart | undefined =>
  selectedInBlock(bytes, isWanted, (wanted) => wanted)

/** Whether a transaction shows a public key, as whatever spends the key's P2WPKH coins must. Anybody may show it. */
export const showsKey = (transaction: Uint8Array, publicKey: Uint8Array): boolean => {
  const [first = 0] = publicKey
  for (let at = transaction.indexOf(first); at >= 0; at = transaction.indexOf(first, at + 1)) {
    if (publicKey.every((byte, offset) => transaction[at + offset] === byte)) return true
  }
  return false
}

/** Those that show a public key: what they spend decides. Undefined unless all bytes together are a block. */
export const shownInBlock = (bytes: Uint8Array, publicKey: Uint8Array): BlockPart | undefined =>
  selectedInBlock(bytes, () => false, (_, transaction) => showsKey(transaction, publicKey))
