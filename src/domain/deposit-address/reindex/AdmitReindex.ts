/**
 * Decides whether a deposit address may be reindexed now (REINDEX-3, REINDEX-1): the refusals, in their order.
 *
 * `checkReindex` runs before anything is looked up, then `admitReindex`. A strict address on another chain is also a
 * 400, but is known only from the record, so it is refused in the second step. `planReindex` gives the 503 for balances
 * that could not be read.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import type { Chain } from "../../chain/Chain.ts"
import type { ChainId } from "../../chain/ChainId.ts"
import type { Currency } from "../../money/Currency.ts"

/** `status` is the HTTP status of the API. The body contains the message alone. */
export class ReindexRefused extends Data.TaggedError("ReindexRefused")<{
  readonly status: 400 | 403 | 404 | 429 | 503
  readonly message: string
  /** With 429: seconds until the next attempt is allowed. */
  readonly retryAfterSeconds?: number
}> {}

/** What is known from the request alone. */
export interface AskedReindex<C extends TargetChain> {
  /** The chain of the address. */
  readonly home: Pick<Chain, "family">
  /** The chain to read: targetChainId, else the address's. Undefined when it is not configured. */
  readonly target: C | undefined
  /** The currencies of that chain to read. Undefined when `currency` is not one of them. */
  readonly currencies: ReadonlyArray<Currency> | undefined
}

/** The fields that are needed of the chain to read. */
type TargetChain = Pick<Chain, "family" | "name" | "depositAddresses">

const refuse = (status: ReindexRefused["status"], message: string) =>
  Result.fail(new ReindexRefused({ status, message }))

/** The chain and currencies to read, or 400. */
export const checkReindex = <C extends TargetChain>(
  { currencies, home, target }: AskedReindex<C>
): Result.Result<{ readonly target: C; readonly currencies: ReadonlyArray<Currency> }, ReindexRefused> => {
  if (target === undefined) return refuse(400, "targetChainId is not a supported chain")
  if (target.family.name !== home.family.name) {
    return refuse(400, "targetChainId must be a chain of the same kind as chainId")
  }
  if (target.depositAddresses === undefined) return refuse(400, `${target.name} has no deposit addresses`)
  if (currencies === undefined) return refuse(400, "currency is not depositable on this chain")
  return Result.succeed({ target, currencies })
}

/** The stored record of a deposit address. */
export interface AddressRecord {
  readonly mode: "open" | "strict"
  readonly chainId: ChainId
  /** The API key under which the address was made, if any. */
  readonly apiKeyId: string | undefined
}

/** The caller: with a key or without. `Refused`: the key is unknown (403) or could not be looked up (503). */
export type ReindexCaller =
  | { readonly _tag: "Known"; readonly keyId: string | undefined }
  | { readonly _tag: "Refused"; readonly status: 403 | 503; readonly message: string }

/** The facts that decide about a reindex. */
export interface ReindexFacts<R extends AddressRecord> {
  /** The chain to read. */
  readonly targetChainId: ChainId
  readonly record: R | undefined
  readonly caller: ReindexCaller
  /** When this address was last reindexed on that chain, in milliseconds. */
  readonly lastAt: number | undefined
  readonly now: number
}

/** The least time between two reindexes of one address. */
export const REINDEX_INTERVAL_SECONDS = 60

/**
 * The record, or a refusal: 404, 400 (strict address on another chain), 403, 429. 503 instead of 403 when the key could
 * not be looked up.
 */
export const admitReindex = <R extends AddressRecord>(
  { caller, lastAt, now, record, targetChainId }: ReindexFacts<R>
): Result.Result<R, ReindexRefused> => {
  if (record === undefined) return refuse(404, "no deposit address is registered for this chainId and depositAddress")
  if (record.mode === "strict" && targetChainId !== record.chainId) {
    return refuse(400, "a strict deposit address can only be reindexed on its own chain: leave targetChainId out")
  }
  if (caller._tag === "Refused") return refuse(caller.status, caller.message)
  if (record.apiKeyId !== undefined && record.apiKeyId !== caller.keyId) {
    return refuse(403, "this deposit address belongs to another API key")
  }
  const waitMs = lastAt === undefined ? 0 : lastAt + REINDEX_INTERVAL_SECONDS * 1000 - now
  if (waitMs > 0) {
    const retryAfterSeconds = Math.ceil(waitMs / 1000)
    return Result.fail(
      new ReindexRefused({
        status: 429,
        message: `this deposit address was reindexed less than ${REINDEX_INTERVAL_SECONDS} seconds ago`,
        retryAfterSeconds
      })
    )
  }
  return Result.succeed(record)
}
