/**
 * What an account must hold on a Solana chain now, by its size (SOLANA-24). It changes between epochs, so that an answer
 * is kept for a minute, and no quote costs a request of its own.
 *
 * SECURITY: a quote, its check at the fill and the payment all rest on this number. A node that says too little makes the
 * solver pay the rest of each account that strangers close and have opened again. So as many hosts are asked as the
 * chain's quorum needs, and the greatest answer counts: not all of them lie. Where a single host decides it does so here,
 * within bounds.
 */
import { leastRent, mostRent } from "../../../src/domain/families/solana/SolanaCosts.ts"
import { maxOf } from "../../../src/domain/money/Rounding.ts"
import type { SolanaClient } from "./SolanaClient.ts"

/** Milliseconds. */
const KEPT_FOR = 60_000

interface Kept {
  readonly rent: Promise<bigint>
  /** Milliseconds. */
  readonly at: number
}

/** Lamports that an account of so many bytes must hold, as one node or several say. */
type AskRent = (bytes: number) => Promise<bigint>

/** What was answered in the last minute. */
const keeping = (ask: AskRent): AskRent => {
  const all = new Map<number, Kept>()
  return (bytes) => {
    const now = Date.now()
    const known = all.get(bytes)
    if (known !== undefined && now >= known.at && now - known.at < KEPT_FOR) return known.rent
    const asked: Kept = { rent: ask(bytes), at: now }
    all.set(bytes, asked)
    // A failure is not kept. Whoever asked gets it.
    asked.rent.catch(() => {
      if (all.get(bytes) === asked) all.delete(bytes)
    })
    return asked.rent
  }
}

/** What one node says. Beyond the bounds the answer is refused, and another endpoint is asked. */
export const readRent = async (client: SolanaClient, bytes: number): Promise<bigint> => {
  const rent = BigInt(await client.getMinimumBalanceForRentExemption(BigInt(bytes)).send())
  if (rent < leastRent(bytes) || rent > mostRent(bytes)) throw new Error("a node names a rent that no cluster has")
  return rent
}

/** The greatest of as many answers as are needed. Undefined before as many are there. */
export const greatestOf = (answers: ReadonlyArray<bigint>, needed: number): bigint | undefined =>
  answers.length < needed ? undefined : answers.reduce(maxOf)

const known = new WeakMap<SolanaClient, AskRent>()

/** `ask`: by the quorum of a chain. For all clients to which the function that is returned is applied. */
export const rentsBy = (ask: AskRent): (client: SolanaClient) => void => {
  const kept = keeping(ask)
  return (client) => void known.set(client, kept)
}

/** Lamports that an account of so many bytes must hold. A client of no quorum is asked itself. */
export const rentOf = (client: SolanaClient, bytes: number): Promise<bigint> => {
  const ask = known.get(client) ?? keeping((size) => readRent(client, size))
  known.set(client, ask)
  return ask(bytes)
}

/** What an account without data must hold unless it is empty, lamports. */
export const leastBalance = (client: SolanaClient): Promise<bigint> => rentOf(client, 0)
