/**
 * The current costs of a transaction on Solana: 5,000 lamports for each signature, and a price for the compute units
 * that it may use. Leaders prefer higher prices.
 */
import { isSolanaError, SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND } from "@solana/kit"
import type { Address } from "@solana/kit"
import { LAMPORTS_A_SIGNATURE } from "../../../src/domain/families/solana/SolanaCosts.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"

export { LAMPORTS_A_SIGNATURE }

/** The compute units that a payment may use, with a margin: memo, transfer, opening an account. */
export const computeUnits = ({ opens, token }: { readonly token: boolean; readonly opens: boolean }): number =>
  token ? opens ? 180_000 : 120_000 : 80_000

const MICRO = 1_000_000n

/**
 * The most that we pay for a compute unit, micro-lamports. Above that a payment waits, and gets a new price when it
 * expires.
 */
const MOST_PRICE = 1_000_000n

/**
 * The price that suffices in three quarters of the recent slots for a transaction that writes to these accounts,
 * micro-lamports for each unit.
 */
export const readUnitPrice = async (client: SolanaClient, writable: ReadonlyArray<Address>): Promise<bigint> => {
  try {
    const recent = await client.getRecentPrioritizationFees([...writable]).send()
    const fees = recent.map(({ prioritizationFee }) => BigInt(prioritizationFee)).toSorted((one, other) =>
      one < other ? -1 : one > other ? 1 : 0
    )
    const price = fees[Math.floor((fees.length * 3) / 4)] ?? 0n
    return price < MOST_PRICE ? price : MOST_PRICE
  } catch (error) {
    // A node without this method is taken to ask for no extra price.
    if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND)) return 0n
    throw error
  }
}

/** Lamports, rounded up like on the chain. */
export const feeOf = (signatures: bigint, units: number, unitPrice: bigint): bigint =>
  LAMPORTS_A_SIGNATURE * signatures + (BigInt(units) * unitPrice + MICRO - 1n) / MICRO
