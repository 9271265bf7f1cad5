/**
 * The unsigned transaction of a PSBT: the coins it spends and the outputs it pays (BIP-174).
 *
 * Serialized without witnesses and with empty input scripts. Anything else is `undefined`.
 */
import { type ByteReader, makeByteReader, readMany, readSized } from "./ByteReader.ts"
import { hexDigits } from "../../encoding/HexDigits.ts"

/** The coin that an input spends, and the input's sequence. */
export interface BitcoinInput {
  /** In the usual display order: the reverse of its bytes on the wire. */
  readonly transactionId: string
  readonly index: number
  readonly sequence: number
}

/** An output's script and amount. */
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
  const script = readSized(reader)
  return amount === undefined || amount < 0n || amount > maxMoney || script === undefined
    ? undefined
    : { script, amount }
}

/** Reads an unsigned transaction with at least one input and one output. */
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
