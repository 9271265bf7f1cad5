/**
 * How much is given back for which no oracle signs, so that the solver loses it: in micro-dollars, capped over all workers of
 * a store in any 24 hours. Anybody can have a deposit go back like that for the gas of it; the cap is what that can cost.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Hex32 } from "../src/domain/chain/Hex.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

/** Milliseconds for which a refund counts. */
export const UNATTESTED_WINDOW_MS = 86_400_000

/** A deposit that would go back unattested. */
export interface UnattestedRefund {
  readonly onchainId: Hex32
  /** What is lost by it, rounded up. */
  readonly usdMicros: bigint
}

export class UnattestedRefunds extends Context.Service<UnattestedRefunds, {
  /**
   * True when the refund fits under the cap beside all others of the last 24 hours; it counts from `at` then, in milliseconds.
   * Atomic, whoever asks at the same time. Once for each deposit: asked again, it counts from then on, at its first value as
   * long as it counts. What is older than two days is forgotten.
   */
  readonly reserve: (refund: UnattestedRefund, cap: bigint, at: number) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/UnattestedRefunds") {}
