/** A signed transaction on the simulated Tron chain, as nodes read it from its bytes. */
import { sha256 } from "@noble/hashes/sha2.js"
import { Result } from "effect"
import { nativeCurve } from "../../../adapters/signing/secp256k1/NativeCurve.ts"
import { hexFromBytes, hexToBytes } from "../../../src/domain/encoding/Hex.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { nobleCurve } from "../../../src/domain/encoding/NobleCurve.ts"
import { signaturesOn } from "../../../src/domain/encoding/Signature.ts"
import { bytesField, intField, protobufFields } from "../../../src/domain/families/tron/evidence/Protobuf.ts"
import { readTronTransaction } from "../../../src/domain/families/tron/evidence/TronTransaction.ts"
import type { TronTransaction } from "../../../src/domain/families/tron/evidence/TronTransaction.ts"
import { lifetimeIn, writeRawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import type { RawData } from "../../../src/domain/families/tron/transaction/RawData.ts"
import { readSigned, writeSigned } from "../../../src/domain/families/tron/transaction/SignedTransaction.ts"
import type { TronKey } from "./Terms.ts"

/** Noble would take a fifth of a run's time for it. */
const { recoverDigest, signDigest } = signaturesOn(await nativeCurve() ?? nobleCurve)

/** Numbers from Tron's protocol files. */
const field = { blockHash: 4, feeLimit: 18 } as const

export interface SentTransaction {
  readonly id: string
  readonly rawData: Uint8Array
  readonly signature: Uint8Array
  readonly transaction: TronTransaction
  /** Milliseconds of chain time: no block above one of that time may hold it. */
  readonly expiration: number
  /** Of the block that it names: the low 16 bits of its height, and 16 digits of its hash. */
  readonly reference: { readonly bits: number; readonly hash: string }
  /** Sun. */
  readonly feeLimit: bigint
}

/** Undefined for bytes that are no transaction with one signature. */
export const readTransaction = (bytes: Uint8Array): SentTransaction | undefined => {
  const signed = readSigned(bytes)
  if (signed === undefined) return undefined
  const { rawData, signature } = signed
  const [transaction, lifetime, fields] = [
    readTronTransaction(rawData),
    lifetimeIn(rawData),
    protobufFields(rawData)
  ]
  if (transaction === undefined || lifetime === undefined || fields === undefined) return undefined
  return {
    id: transaction.id,
    rawData,
    signature,
    transaction,
    expiration: lifetime.expiration,
    reference: { bits: lifetime.referenceBits, hash: hexDigits(bytesField(fields, field.blockHash)) },
    feeLimit: intField(fields, field.feeLimit)
  }
}

export const isSigned = ({ rawData, signature, transaction: { owner } }: SentTransaction): boolean => {
  const signer = recoverDigest(sha256(rawData), hexFromBytes(signature))
  return Result.isSuccess(signer) && signer.success === owner
}

/** As nodes take it. */
export const signedBy = ({ privateKey }: TronKey, made: RawData): Uint8Array => {
  const rawData = writeRawData(made)
  const signature = hexToBytes(Result.getOrThrow(signDigest(sha256(rawData), privateKey)))
  return writeSigned({ rawData, signature })
}

/** The same transaction with another action: what a node that lies shows in its place. Nobody has signed it. */
export const withAct = (sent: SentTransaction, act: RawData["act"]): SentTransaction => {
  const { expiration, feeLimit, reference: { bits, hash }, transaction: { memo } } = sent
  const rawData = writeRawData({
    act,
    memo,
    reference: { height: BigInt(bits), hash: `${"0".repeat(16)}${hash}${"0".repeat(32)}` },
    expiration,
    timestamp: 1,
    feeLimit
  })
  const read = readTransaction(writeSigned({ rawData, signature: sent.signature }))
  return read ?? sent
}
