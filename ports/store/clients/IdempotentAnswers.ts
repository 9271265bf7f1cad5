/**
 * Answers that are given again to the same request (WIRE-8): one row for (scope, key), claimed before the request is
 * carried out, so that of two at the same time only one runs.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** Whose key for which route, and the key. */
export interface IdempotencySlot {
  readonly scope: string
  readonly key: string
}

export interface StoredAnswer {
  readonly status: number
  readonly body: string
}

export type Claim =
  /** The caller runs the request, and then stores its answer or releases the slot. */
  | { readonly _tag: "Claimed" }
  | { readonly _tag: "Running" }
  /** The key was used with another body. */
  | { readonly _tag: "Reused" }
  | { readonly _tag: "Answered"; readonly answer: StoredAnswer }

export class IdempotentAnswers extends Context.Service<IdempotentAnswers, {
  /** `bodyHash` tells bodies apart; `now` in milliseconds. A claim whose process died is free again after a minute. */
  readonly claim: (slot: IdempotencySlot, bodyHash: string, now: number) => Effect.Effect<Claim, StoreUnavailable>
  readonly store: (slot: IdempotencySlot, answer: StoredAnswer) => Effect.Effect<void, StoreUnavailable>
  /** Forgets a claim that has no answer. */
  readonly release: (slot: IdempotencySlot) => Effect.Effect<void, StoreUnavailable>
  /** Forgets what was claimed before a time, milliseconds. */
  readonly forgetBefore: (time: number) => Effect.Effect<void, StoreUnavailable>
}>()("causeway/ports/IdempotentAnswers") {}
