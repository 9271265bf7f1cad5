/**
 * The transactions of a block that pay a script, from the block's own bytes. Everything else in it is only skipped: a
 * block holds thousands of transactions, and hashing each of them would stop all other work for a tenth of a second.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { type ByteReader, makeByteReader, readSized } from "../ByteReader.ts"
import { hexDigits } from "../../../encoding/HexDigits.ts"
import { sameBytes } from "./SpentCoins.ts"

export interface PaidInBlock {
  /** In the usual display order. */
  readonly hash: string
  /** The bytes of each transaction that pays the script, in the block's order. */
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

/** Whether one of the outputs pays the script. Undefined when the bytes are no outputs. */
const skipOutputs = (reader: ByteReader, script: Uint8Array): boolean | undefined => {
  const count = reader.compactSize()
  if (count === undefined) return undefined
  let pays = false
  for (let at = 0; at < count; at++) {
    const paid = reader.take(8) === undefined ? undefined : readSized(reader)
    if (paid === undefined) return undefined
    pays ||= sameBytes(paid, script)
  }
  return pays
}

/** Goes past one transaction (BIP-144). Undefined when the bytes are none. */
const skipTransaction = (reader: ByteReader, script: Uint8Array): boolean | undefined => {
  if (reader.take(4) === undefined) return undefined
  const first = reader.compactSize()
  // No transaction is without inputs, so a zero is the marker of the form with witnesses.
  const hasWitness = first === 0
  if (hasWitness && reader.take(1)?.[0] !== 1) return undefined
  const inputs = hasWitness ? reader.compactSize() : first
  if (inputs === undefined || !skipEach(reader, inputs, skipInput)) return undefined
  const pays = skipOutputs(reader, script)
  if (pays === undefined || (hasWitness && !skipEach(reader, inputs, skipStack))) return undefined
  return reader.take(4) === undefined ? undefined : pays
}

/** Undefined unless all bytes together are a block. */
export const paidInBlock = (bytes: Uint8Array, script: Uint8Array): PaidInBlock | undefined => {
  const reader = makeByteReader(bytes)
  const header = reader.take(HEADER_BYTES)
  const count = header === undefined ? undefined : reader.compactSize()
  if (header === undefined || count === undefined) return undefined
  const transactions: Array<Uint8Array> = []
  for (let at = 0; at < count; at++) {
    const from = bytes.length - reader.left()
    const pays = skipTransaction(reader, script)
    if (pays === undefined) return undefined
    if (pays) transactions.push(bytes.slice(from, bytes.length - reader.left()))
  }
  return reader.isAtEnd() ? { hash: hexDigits(sha256(sha256(header)).toReversed()), transactions } : undefined
}
