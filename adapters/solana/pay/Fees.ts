/**
 * What a transaction costs on Solana now: 5,000 lamports a signature, and a price for the compute units that it may
 * use, which leaders prefer it for.
 */
import { isSolanaError, SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND } from "@solana/kit"
import type { Address } from "@solana/kit"
import { LAMPORTS_A_SIGNATURE, TOKEN_ACCOUNT_RENT } from "../../../src/domain/families/solana/SolanaCosts.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"

export { LAMPORTS_A_SIGNATURE, TOKEN_ACCOUNT_RENT }

/** What an account without data must hold, or nothing at all. */
export const LEAST_BALANCE = 890_880n

/** Compute units that a payment may use, with room: memo, transfer, opening an account. */
export const computeUnits = ({ opens, token }: { readonly token: boolean; readonly opens: boolean }): number =>
  token ? opens ? 180_000 : 120_000 : 80_000

const MICRO = 1_000_000n

/**
 * The most that a compute unit is worth to us, micro-lamports: beyond that a payment waits, and is priced anew when it
 * expires.
 */
const MOST_PRICE = 1_000_000n

/**
 * What three quarters of the recent slots took at least for a transaction that writes to these accounts, micro-lamports
 * a unit.
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
    // A node that does not tell is no node that asks for more.
    if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND)) return 0n
    throw error
  }
}

/** Lamports, rounded up as the chain does. */
export const feeOf = (signatures: bigint, units: number, unitPrice: bigint): bigint =>
  LAMPORTS_A_SIGNATURE * signatures + (BigInt(units) * unitPrice + MICRO - 1n) / MICRO
