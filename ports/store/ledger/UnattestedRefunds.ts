/**
 * How much is given back for which no oracle signs, so that the solver loses it: in micro-dollars, capped over all
 * workers of a store in any 24 hours. Anybody can have a deposit go back like that for the gas of it; the cap is what
 * that can cost without anybody's decision. What it holds back, an operator may decide on, one deposit at a time.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** Milliseconds for which a refund counts. */
export const UNATTESTED_WINDOW_MS = 86_400_000

/** A deposit that would go back unattested. */
export interface UnattestedRefund {
  readonly onchainId: Hex32
  /** What is lost by it, rounded up. */
  readonly usdMicros: bigint
}

/** One that the cap holds back; times in milliseconds. */
export interface HeldRefund {
  readonly deposit: Deposit
  readonly usdMicros: bigint
  readonly heldAt: number
}

/** That a deposit is given back whatever the cap says. */
export interface RefundDecision {
  readonly onchainId: Hex32
  readonly requestId: RequestId
  /** Who decided, as that person said. */
  readonly by: string
  /** Milliseconds. */
  readonly at: number
}

/** What was signed for in all on a chain, since there was a store. */
export interface UnattestedTotal {
  readonly chainId: ChainId
  readonly usdMicros: bigint
}

export class UnattestedRefunds extends Context.Service<UnattestedRefunds, {
  /**
   * True when the refund fits under the cap beside all others of the last 24 hours; it counts from `at` then, in
   * milliseconds, and from when it is signed (`Payments.signOnce`). Atomic, whoever asks at the same time. Once for
   * each deposit: asked again, it counts from then on, at its first value as long as it counts. What is older than two
   * days and was not signed is forgotten. What does not fit is kept as held back. What was decided on fits, and takes
   * no room from others.
   */
  readonly reserve: (refund: UnattestedRefund, cap: bigint, at: number) => Effect.Effect<boolean, StoreUnavailable>
  /** Keeps a decision; the first one on a deposit stays, and is the answer. */
  readonly decide: (decision: RefundDecision) => Effect.Effect<RefundDecision, StoreUnavailable>
  /** The newest first, at most so many. */
  readonly decisions: (limit: number) => Effect.Effect<ReadonlyArray<RefundDecision>, StoreUnavailable>
  /** What waits for room or for a decision, the longest first, at most so many. */
  readonly held: (limit: number) => Effect.Effect<ReadonlyArray<HeldRefund>, StoreUnavailable>
  readonly totals: Effect.Effect<ReadonlyArray<UnattestedTotal>, StoreUnavailable>
}>()("causeway/ports/UnattestedRefunds") {}
