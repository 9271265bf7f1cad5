/**
 * The stored form of a signed Solana transaction: its bytes, the last block height at which it can be executed, and the
 * slot at which that height was read. All three in one text, because the bytes only name a blockhash, and not when it
 * expires.
 */
import {
  blockhash,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder
} from "@solana/kit"
import type { Base64EncodedWireTransaction, Blockhash, Transaction } from "@solana/kit"

/** How long a transaction can be executed. */
export interface Lifetime {
  /** The height of the last block that may hold it. */
  readonly lastValidBlockHeight: bigint
  /** No block below this slot can hold it. */
  readonly slot: bigint
}

export interface SignedBytes extends Lifetime {
  readonly wire: Base64EncodedWireTransaction
  readonly blockhash: Blockhash
}

const kept = /^([A-Za-z0-9+/]+=*)\.([0-9]{1,20})\.([0-9]{1,20})$/

export const encodeSigned = (transaction: Transaction, { lastValidBlockHeight, slot }: Lifetime): string =>
  `${getBase64EncodedWireTransaction(transaction)}.${lastValidBlockHeight}.${slot}`

/** Throws for text that this adapter never wrote: then the store was changed from outside. */
export const decodeSigned = (raw: string): SignedBytes => {
  const [, bytes = "", height = "", slot = ""] = kept.exec(raw) ?? []
  if (bytes === "") throw new Error("a stored payment is not as the Solana adapter writes them")
  const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(bytes))
  return {
    wire: getBase64EncodedWireTransaction(transaction),
    blockhash: blockhash(getCompiledTransactionMessageDecoder().decode(transaction.messageBytes).lifetimeToken),
    lastValidBlockHeight: BigInt(height),
    slot: BigInt(slot)
  }
}
