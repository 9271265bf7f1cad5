/**
 * The unsigned transaction of a PSBT: which coins it spends and what it pays (BIP-174).
 *
 * Serialized without witnesses and with empty input scripts; anything else is `undefined`.
 */
import { type ByteReader, makeByteReader } from "./ByteReader.ts"
import { hexDigits } from "../../encoding/HexDigits.ts"

export interface BitcoinInput {
  /** As it is printed: the reverse of its bytes on the wire. */
  readonly transactionId: string
  readonly index: number
  readonly sequence: number
}

export interface BitcoinOutput {
  readonly script: Uint8Array
  /** Satoshi. */
  readonly amount: bigint
}

export interface BitcoinTransaction {
  readonly version: number
  readonly inputs: ReadonlyArray<BitcoinInput>
  readonly outputs: ReadonlyArray<BitcoinOutput>
  readonly lockTime: number
}

const maxMoney = 21_000_000n * 100_000_000n

const readInput = (reader: ByteReader): BitcoinInput | undefined => {
  const hash = reader.take(32)
  const index = reader.uint32()
  const scriptSize = reader.compactSize()
  const sequence = reader.uint32()
  return hash === undefined || index === undefined || scriptSize !== 0 || sequence === undefined
    ? undefined
    : { transactionId: hexDigits(hash.toReversed()), index, sequence }
}

const readOutput = (reader: ByteReader): BitcoinOutput | undefined => {
  const amount = reader.int64()
  const size = reader.compactSize()
  const script = size === undefined ? undefined : reader.take(size)
  return amount === undefined || amount < 0n || amount > maxMoney || script === undefined
    ? undefined
    : { script, amount }
}

const readMany = <A>(reader: ByteReader, read: (reader: ByteReader) => A | undefined): ReadonlyArray<A> | undefined => {
  const count = reader.compactSize()
  if (count === undefined) return undefined
  const all: Array<A> = []
  for (let index = 0; index < count; index++) {
    const one = read(reader)
    if (one === undefined) return undefined
    all.push(one)
  }
  return all
}

/** An unsigned transaction with at least one input and one output. */
export const readBitcoinTransaction = (bytes: Uint8Array): BitcoinTransaction | undefined => {
  const reader = makeByteReader(bytes)
  const version = reader.uint32()
  const inputs = readMany(reader, readInput)
  const outputs = inputs === undefined ? undefined : readMany(reader, readOutput)
  const lockTime = outputs === undefined ? undefined : reader.uint32()
  if (version === undefined || inputs === undefined || outputs === undefined || lockTime === undefined) return undefined
  const isWhole = reader.isAtEnd() && inputs.length > 0 && outputs.length > 0
  return isWhole ? { version, inputs, outputs, lockTime } : undefined
}
