/**
 * Limits how much request calldata is stored on one UTC day. A quote is stored for days with its txs, paid or not, and
 * asking for one is free. Each key has an allowance of its own. All callers without a key share another one, which
 * never uses up a key's allowance.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** The calldata of one request that is about to be stored. */
export interface CalldataTaken {
  /** Undefined for a caller without a key. */
  readonly key: ApiKeyId | undefined
  readonly bytes: number
  /** Bytes for one day, for this key or for all callers without a key. */
  readonly allowance: number
  /** Milliseconds: selects the UTC day. */
  readonly at: number
}

/** Takes a request's calldata from its caller's allowance of the UTC day. False when it does not fit. */
export class CalldataAllowances extends Context.Service<CalldataAllowances, {
  /**
   * False, and nothing is counted, when the rest of the day's allowance is too small. Atomic under concurrent calls.
   */
  readonly take: (taken: CalldataTaken) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/CalldataAllowances") {}
