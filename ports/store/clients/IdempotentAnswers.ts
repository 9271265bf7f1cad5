/**
 * Answers that are repeated for the same request (WIRE-8). There is one row for each (scope, key), claimed before the
 * request runs, so that of two concurrent requests only one runs.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** The scope (caller and route) and the idempotency key. */
export interface IdempotencySlot {
  readonly scope: string
  readonly key: string
}

/** The answer as it was sent: status and JSON body (WIRE-8). */
export interface StoredAnswer {
  readonly status: number
  readonly body: string
}

/** What a request with an Idempotency-Key has to do (WIRE-8). */
export type Claim =
  /** The caller runs the request, then stores its answer or releases the slot. */
  | { readonly _tag: "Claimed" }
  | { readonly _tag: "Running" }
  /** The key was used with another body. */
  | { readonly _tag: "Reused" }
  | { readonly _tag: "Answered"; readonly answer: StoredAnswer }

/** The answer of each (scope, key). A claim lets one of several concurrent requests run. */
export class IdempotentAnswers extends Context.Service<IdempotentAnswers, {
  /**
   * `bodyHash` distinguishes bodies; `now` is in milliseconds. A claim whose process died is free again after a minute.
   */
  readonly claim: (slot: IdempotencySlot, bodyHash: string, now: number) => Effect.Effect<Claim, StoreUnavailable>
  readonly store: (slot: IdempotencySlot, answer: StoredAnswer) => Effect.Effect<void, StoreUnavailable>
  /** Deletes a claim that has no answer. */
  readonly release: (slot: IdempotencySlot) => Effect.Effect<void, StoreUnavailable>
  /** Deletes what was claimed before a time in milliseconds. */
  readonly forgetBefore: (time: number) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/IdempotentAnswers") {}
