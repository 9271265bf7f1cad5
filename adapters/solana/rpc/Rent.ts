/**
 * What an account must hold on a Solana chain now, by its size, as one node says (SOLANA-24). It changes between
 * epochs, so that each node's answer is kept for a minute, and no quote costs a request of its own.
 */
import { mostRent } from "../../../src/domain/families/solana/SolanaCosts.ts"
import type { SolanaClient } from "./SolanaRpc.ts"

/** Milliseconds. */
const KEPT_FOR = 60_000

interface Kept {
  readonly rent: Promise<bigint>
  /** Milliseconds. */
  readonly at: number
}

const kept = new WeakMap<SolanaClient, Map<number, Kept>>()

/**
 * SECURITY: bounded. A node that says too much makes quotes dear, and one that says too little makes the solver pay the
 * rest of the rent. Beyond the bounds the answer is refused, and the next endpoint is asked.
 */
const readRent = async (client: SolanaClient, bytes: number): Promise<bigint> => {
  const rent = BigInt(await client.getMinimumBalanceForRentExemption(BigInt(bytes)).send())
  if (rent <= 0n || rent > mostRent(bytes)) throw new Error("a node names a rent that no cluster has")
  return rent
}

/** Lamports that an account of so many bytes must hold. */
export const rentOf = (client: SolanaClient, bytes: number): Promise<bigint> => {
  const all = kept.get(client) ?? new Map<number, Kept>()
  kept.set(client, all)
  const now = Date.now()
  const known = all.get(bytes)
  if (known !== undefined && now >= known.at && now - known.at < KEPT_FOR) return known.rent
  const asked: Kept = { rent: readRent(client, bytes), at: now }
  all.set(bytes, asked)
  // A failure is not kept. Whoever asked gets it.
  asked.rent.catch(() => {
    if (all.get(bytes) === asked) all.delete(bytes)
  })
  return asked.rent
}

/** What an account without data must hold unless it is empty, lamports. */
export const leastBalance = (client: SolanaClient): Promise<bigint> => rentOf(client, 0)
