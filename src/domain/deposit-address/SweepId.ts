/**
 * The id of a sweep, which its transaction's record bears where payments have an order: of what it empties, and its
 * number.
 */
import { hex32FromDigest } from "../encoding/Hex.ts"
import type { Hex32 } from "../encoding/Hex.ts"
import { keccakText } from "../encoding/StructHash.ts"
import type { Address, CurrencyAddress } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"

export interface SweepPlace {
  readonly chainId: ChainId
  readonly address: Address
  readonly currency: CurrencyAddress
  /** Counted from zero. */
  readonly number: number
}

export const sweepId = ({ address, chainId, currency, number }: SweepPlace): Hex32 =>
  hex32FromDigest(keccakText(`sweep:${chainId}:${address}:${currency}:${number}`))
