/**
 * The exchange's fee for a transfer, as it was a minute ago at most, for quotes (EXCHANGEB-29). Its question is the
 * heaviest of all, and strangers make us ask it. A quote holds for longer than a minute, so a fee that rises meanwhile is
 * the solver's in any case; a payment is signed with the fee of the moment.
 */
import { Effect } from "effect"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import { elapsedMillis } from "../../quorum/rpc/ElapsedTime.ts"
import { readFee } from "./ReadAccount.ts"

const KEPT_MS = 60_000

/** Pairs of accounts. Beyond it the one that was kept first goes. */
const CAPACITY = 10_000

interface Kept {
  readonly at: number
  readonly fee: bigint
}

const kept = new WeakMap<ExchangeBClient, Map<string, Kept>>()

const keep = (known: Map<string, Kept>, pair: string, each: Kept): void => {
  known.delete(pair)
  known.set(pair, each)
  const [oldest] = known.keys()
  if (oldest !== undefined && known.size > CAPACITY) known.delete(oldest)
}

export const readRecentFee: typeof readFee = Effect.fnUntraced(
  function*(client: ExchangeBClient, from: Parameters<typeof readFee>[1], to, deadline) {
    const known = kept.get(client) ?? new Map<string, Kept>()
    kept.set(client, known)
    const pair = `${from.account} ${to}`
    const now = yield* elapsedMillis
    const found = known.get(pair)
    if (found !== undefined && now < found.at + KEPT_MS) return found.fee
    const fee = yield* readFee(client, from, to, deadline)
    keep(known, pair, { at: now, fee })
    return fee
  }
)
