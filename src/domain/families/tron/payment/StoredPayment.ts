/**
 * The stored form of a signed payment of tron-vm: its bytes in hex, and the height of the block that it names, of which
 * the bytes hold only two. A node without that block does not know what was before.
 *
 * A sweep may also hold the transfer that funds it (TRON-21). Both name one block and expire together.
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import { hexDigits } from "../../../encoding/HexDigits.ts"
import { readTronTransaction } from "../evidence/TronTransaction.ts"
import type { TronTransaction } from "../evidence/TronTransaction.ts"
import { lifetimeIn } from "../transaction/RawData.ts"
import { readSigned, writeSigned } from "../transaction/SignedTransaction.ts"
import type { SignedTransaction } from "../transaction/SignedTransaction.ts"

/** A signed transaction of a payment. */
export interface StoredTransaction {
  /** As nodes take it, in hex without 0x. */
  readonly signedHex: string
  /** With its id. */
  readonly transaction: TronTransaction
}

export interface StoredPayment extends StoredTransaction {
  /** Milliseconds of chain time. */
  readonly expiration: number
  /** The height of the block that it names. */
  readonly reference: bigint
  /** The transfer to the address that is swept, which a block must have before the sweep. */
  readonly funding?: StoredTransaction | undefined
}

/**
 * The text that the store keeps: the signed transaction, the height of the block that it names, and the funding of a
 * sweep.
 */
export const writeStored = (signed: SignedTransaction, reference: bigint, funding?: SignedTransaction): string =>
  [hexDigits(writeSigned(signed)), reference, ...(funding === undefined ? [] : [hexDigits(writeSigned(funding))])].join(
    "."
  )

const kept = /^((?:[0-9a-f]{2})+)\.([0-9]{1,20})(?:\.((?:[0-9a-f]{2})+))?$/

const readTransaction = (signedHex: string) => {
  const signed = readSigned(hexToBytes(signedHex))
  if (signed === undefined) return undefined
  const [transaction, lifetime] = [readTronTransaction(signed.rawData), lifetimeIn(signed.rawData)]
  return transaction === undefined || lifetime === undefined
    ? undefined
    : { signedHex, transaction, expiration: lifetime.expiration }
}

/** Undefined for text that `writeStored` never wrote. */
export const readStored = (raw: string): StoredPayment | undefined => {
  const [, signedHex, reference, fundingHex] = kept.exec(raw) ?? []
  if (signedHex === undefined || reference === undefined) return undefined
  const signed = readTransaction(signedHex)
  if (signed === undefined) return undefined
  if (fundingHex === undefined) return { ...signed, reference: BigInt(reference) }
  const funding = readTransaction(fundingHex)
  return funding === undefined ? undefined : { ...signed, reference: BigInt(reference), funding }
}

/** The height of the block that a transaction names, for one that is in a block: the newest that fits. */
export const referenceOf = (rawData: Uint8Array, block: bigint): bigint => {
  const bits = BigInt(lifetimeIn(rawData)?.referenceBits ?? 0)
  const back = BigInt.asUintN(16, block - bits)
  return block > back ? block - back : 0n
}
