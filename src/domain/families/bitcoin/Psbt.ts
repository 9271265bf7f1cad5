/**
 * A partially signed transaction of version 0 (BIP-174) as its key-value maps.
 *
 * Contains only what a withdrawal needs: the complete, unchanged maps, and the unsigned transaction. Encoding a decoded
 * PSBT gives the same bytes. Nothing is signed or finalized here.
 */
import { concatBytes } from "@noble/hashes/utils.js"
import { type BitcoinTransaction, readBitcoinTransaction } from "./BitcoinTransaction.ts"
import { type ByteReader, makeByteReader, writeCompactSize } from "./ByteReader.ts"
import { hexDigits } from "../../encoding/HexDigits.ts"

/** One key-value pair of a map (BIP-174). */
export interface Entry {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

type EntryMap = ReadonlyArray<Entry>

export interface Psbt {
  readonly transaction: BitcoinTransaction
  readonly global: EntryMap
  /** One map per input. */
  readonly inputs: ReadonlyArray<EntryMap>
  /** One map per output. */
  readonly outputs: ReadonlyArray<EntryMap>
}

const magic = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff)

/** Reads entries up to the zero byte that ends a map. A duplicate key makes the map invalid. */
const readMap = (reader: ByteReader): EntryMap | undefined => {
  const entries: Array<Entry> = []
  const keys = new Set<string>()
  for (;;) {
    const keySize = reader.compactSize()
    if (keySize === undefined) return undefined
    if (keySize === 0) return entries
    const key = reader.take(keySize)
    const valueSize = key === undefined ? undefined : reader.compactSize()
    const value = valueSize === undefined ? undefined : reader.take(valueSize)
    if (key === undefined || value === undefined || keys.has(hexDigits(key))) return undefined
    keys.add(hexDigits(key))
    entries.push({ key, value })
  }
}

const readMaps = (reader: ByteReader, count: number): ReadonlyArray<EntryMap> | undefined => {
  const maps: Array<EntryMap> = []
  for (let index = 0; index < count; index++) {
    const map = readMap(reader)
    if (map === undefined) return undefined
    maps.push(map)
  }
  return maps
}

const isUnsignedTransaction = ({ key }: Entry): boolean => key.length === 1 && key[0] === 0x00

/** `undefined` unless all bytes together are a PSBT of version 0. */
export const readPsbt = (bytes: Uint8Array): Psbt | undefined => {
  const reader = makeByteReader(bytes)
  const start = reader.take(magic.length)
  if (start === undefined || !magic.every((byte, index) => byte === start[index])) return undefined
  const global = readMap(reader)
  const unsigned = global?.find(isUnsignedTransaction)
  const transaction = unsigned === undefined ? undefined : readBitcoinTransaction(unsigned.value)
  if (global === undefined || transaction === undefined) return undefined
  const inputs = readMaps(reader, transaction.inputs.length)
  const outputs = inputs === undefined ? undefined : readMaps(reader, transaction.outputs.length)
  if (inputs === undefined || outputs === undefined || !reader.isAtEnd()) return undefined
  return { transaction, global, inputs, outputs }
}

const writeMap = (map: EntryMap): Uint8Array =>
  concatBytes(
    ...map.flatMap(({ key, value }) => [writeCompactSize(key.length), key, writeCompactSize(value.length), value]),
    Uint8Array.of(0)
  )

/** The bytes of a PSBT. */
export const writePsbt = (psbt: Psbt): Uint8Array =>
  concatBytes(magic, writeMap(psbt.global), ...psbt.inputs.map(writeMap), ...psbt.outputs.map(writeMap))
