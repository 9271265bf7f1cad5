/**
 * How much calldata of requests is stored on a UTC day: a quote is kept for days with its txs, paid or not, and asking
 * costs nothing. Each key has an allowance of its own; all callers without one share another, which none of a key's is
 * taken from.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** Calldata of one request that is about to be stored. */
export interface CalldataTaken {
  /** Undefined for a caller without a key. */
  readonly key: ApiKeyId | undefined
  readonly bytes: number
  /** Bytes of one day, of this key or of all callers without one. */
  readonly allowance: number
  /** Milliseconds: says which day it is. */
  readonly at: number
}

export class CalldataAllowances extends Context.Service<CalldataAllowances, {
  /**
   * False, and nothing is counted, when the day's allowance does not leave as much. Atomic, whoever asks at the same
   * time.
   */
  readonly take: (taken: CalldataTaken) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/CalldataAllowances") {}
