/** A signed transaction of tron-vm as nodes take and keep it: the raw data and one signature. Pure. */
import { concatBytes } from "@noble/hashes/utils.js"
import { bytesField as bytesIn, manyBytes, protobufFields } from "../evidence/Protobuf.ts"
import { bytesField } from "./WriteProtobuf.ts"

const transaction = { rawData: 1, signature: 2 } as const

export interface SignedTransaction {
  readonly rawData: Uint8Array
  /** 65 bytes: r, s, and 27 or 28. */
  readonly signature: Uint8Array
}

/** The protobuf of a transaction with one signature. */
export const writeSigned = ({ rawData, signature }: SignedTransaction): Uint8Array =>
  concatBytes(bytesField(transaction.rawData, rawData), bytesField(transaction.signature, signature))

/** Undefined for bytes that are not a valid message with one signature. */
export const readSigned = (bytes: Uint8Array): SignedTransaction | undefined => {
  const fields = protobufFields(bytes)
  if (fields === undefined) return undefined
  const [signature, ...others] = manyBytes(fields, transaction.signature)
  return signature === undefined || others.length > 0
    ? undefined
    : { rawData: bytesIn(fields, transaction.rawData), signature }
}
