/**
 * Whether a deposit address may be looked at again now (spec/3 §7 "Reindex", spec/1 §4.1, §7): the refusals, in their order.
 *
 * What needs the record to be judged (a strict address and another chain) is a 400 all the same, and comes as soon as the
 * record is known. Not for 503: that is known once the balances were read.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import type { ChainId } from "../chain/ChainId.ts"
import type { VmFamily } from "../chain/VmFamily.ts"

/** `status` is the HTTP status of the contract; the body holds the message alone. */
export class ReindexRefused extends Data.TaggedError("ReindexRefused")<{
  readonly status: 400 | 403 | 404 | 429 | 503
  readonly message: string
  /** With 429: seconds until it may be tried again. */
  readonly retryAfterSeconds?: number
}> {}

/** What is kept of a deposit address that may be indexed again. */
export interface AddressRecord {
  readonly mode: "open" | "strict"
  readonly chainId: ChainId
  readonly family: VmFamily
  /** The API key under which the address was made, if any. */
  readonly keyId: string | undefined
}

/** What a reindex is admitted by. */
export interface ReindexFacts {
  /** The chain to look on: targetChainId, else the address's; undefined when it is not configured. */
  readonly target: { readonly chainId: ChainId; readonly family: VmFamily } | undefined
  /** Whether `currency` was left out, is depositable on that chain, or is not. */
  readonly currency: "all" | "depositable" | "unknown"
  readonly record: AddressRecord | undefined
  readonly callerKeyId: string | undefined
  /** When this address was last reindexed on that chain, in milliseconds. */
  readonly lastAt: number | undefined
  readonly now: number
}

/** The least time between two reindexes of one address. */
export const REINDEX_INTERVAL_SECONDS = 60

const refuse = (status: ReindexRefused["status"], message: string) => Result.fail(new ReindexRefused({ status, message }))

/** The record and the chain to look on, or 400, 404, 403, 429. */
export const admitReindex = (
  { callerKeyId, currency, lastAt, now, record, target }: ReindexFacts
): Result.Result<{ readonly record: AddressRecord; readonly chainId: ChainId }, ReindexRefused> => {
  if (target === undefined) return refuse(400, "targetChainId is not a supported chain")
  if (currency === "unknown") return refuse(400, "currency is not depositable on this chain")
  if (record === undefined) return refuse(404, "no deposit address is registered for this chainId and depositAddress")
  if (record.mode === "strict" && target.chainId !== record.chainId) {
    return refuse(400, "a strict deposit address can only be reindexed on its own chain: leave targetChainId out")
  }
  if (target.family !== record.family) return refuse(400, "targetChainId must be a chain of the same kind as chainId")
  if (record.keyId !== undefined && record.keyId !== callerKeyId) return refuse(403, "this deposit address belongs to another API key")
  const waitMs = lastAt === undefined ? 0 : lastAt + REINDEX_INTERVAL_SECONDS * 1000 - now
  if (waitMs > 0) {
    const retryAfterSeconds = Math.ceil(waitMs / 1000)
    return Result.fail(
      new ReindexRefused({ status: 429, message: `this deposit address was reindexed less than ${REINDEX_INTERVAL_SECONDS} seconds ago`, retryAfterSeconds })
    )
  }
  return Result.succeed({ record, chainId: target.chainId })
}
