/** The bytes of an unsigned transaction: input scripts are empty, and there are no witnesses (BIP-174). */
import { concatBytes, hexToBytes } from "@noble/hashes/utils.js"
import type { BitcoinInput, BitcoinOutput, BitcoinTransaction } from "./BitcoinTransaction.ts"
import { writeCompactSize } from "./ByteReader.ts"

const uint32 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

const writeInput = ({ index, sequence, transactionId }: BitcoinInput): Uint8Array =>
  concatBytes(hexToBytes(transactionId).toReversed(), uint32(index), Uint8Array.of(0), uint32(sequence))

/** The amount, then the script. This is also how a PSBT shows a spent output. */
export const writeOutput = ({ amount, script }: BitcoinOutput): Uint8Array => {
  const satoshi = new Uint8Array(8)
  new DataView(satoshi.buffer).setBigUint64(0, amount, true)
  return concatBytes(satoshi, writeCompactSize(script.length), script)
}

/** `readBitcoinTransaction` is the inverse. Ids are 64 hex digits. */
export const writeBitcoinTransaction = (transaction: BitcoinTransaction): Uint8Array =>
  concatBytes(
    uint32(transaction.version),
    writeCompactSize(transaction.inputs.length),
    ...transaction.inputs.map(writeInput),
    writeCompactSize(transaction.outputs.length),
    ...transaction.outputs.map(writeOutput),
    uint32(transaction.lockTime)
  )
