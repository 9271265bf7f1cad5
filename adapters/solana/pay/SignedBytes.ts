/**
 * What is kept of a signed Solana transaction: its bytes, until which block height it can be carried out, and the slot
 * at which that was said. The three together, as one text: the bytes alone name a blockhash, and not when it ends.
 */
import { getBase64EncodedWireTransaction, getBase64Encoder, getTransactionDecoder } from "@solana/kit"
import type { Base64EncodedWireTransaction, Transaction } from "@solana/kit"

/** How long a transaction can be carried out. */
export interface Lifetime {
  /** The height of the last block that may hold it. */
  readonly lastValidBlockHeight: bigint
  /** No block below this slot can hold it. */
  readonly slot: bigint
}

export interface SignedBytes extends Lifetime {
  readonly wire: Base64EncodedWireTransaction
}

const kept = /^([A-Za-z0-9+/]+=*)\.([0-9]{1,20})\.([0-9]{1,20})$/

export const encodeSigned = (transaction: Transaction, { lastValidBlockHeight, slot }: Lifetime): string =>
  `${getBase64EncodedWireTransaction(transaction)}.${lastValidBlockHeight}.${slot}`

/** Throws for what this adapter never wrote: the store was changed by somebody else. */
export const decodeSigned = (raw: string): SignedBytes => {
  const [, bytes = "", height = "", slot = ""] = kept.exec(raw) ?? []
  if (bytes === "") throw new Error("a stored payment is not as the Solana adapter writes them")
  return {
    wire: getBase64EncodedWireTransaction(getTransactionDecoder().decode(getBase64Encoder().encode(bytes))),
    lastValidBlockHeight: BigInt(height),
    slot: BigInt(slot)
  }
}
