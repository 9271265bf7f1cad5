/**
 * The id of a sweep, derived from what it empties and its number. It stands in the record of the sweep's transaction,
 * where payments have an order id.
 */
import { hex32FromDigest } from "../encoding/Hex.ts"
import type { Hex32 } from "../encoding/Hex.ts"
import { keccakText } from "../encoding/StructHash.ts"
import type { Address, CurrencyAddress } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"

/** What makes a sweep unique: the balance that it takes, and how often that was swept before. */
export interface SweepPlace {
  readonly chainId: ChainId
  readonly address: Address
  readonly currency: CurrencyAddress
  /** Counted from zero. */
  readonly number: number
}

export const sweepId = ({ address, chainId, currency, number }: SweepPlace): Hex32 =>
  hex32FromDigest(keccakText(`sweep:${chainId}:${address}:${currency}:${number}`))
