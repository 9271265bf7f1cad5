/**
 * The total of refunds that oracles will not attest, so that the solver loses them. In micro-dollars, capped over all
 * workers of a store in any 24 hours. For the gas of a deposit, anybody can cause such a refund; the cap bounds what
 * that costs without an operator's decision. An operator may decide on refunds that the cap holds back, one deposit at
 * a time.
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

/** A deposit that would be refunded without attestation. */
export interface UnattestedRefund {
  readonly onchainId: Hex32
  /** The solver's loss, rounded up. */
  readonly usdMicros: bigint
}

/** A refund that the cap holds back; times in milliseconds. */
export interface HeldRefund {
  readonly deposit: Deposit
  readonly usdMicros: bigint
  readonly heldAt: number
}

/** An operator's decision to refund a deposit regardless of the cap. */
export interface RefundDecision {
  readonly onchainId: Hex32
  readonly requestId: RequestId
  /** The person who decided, by the name that they gave. */
  readonly by: string
  /** Milliseconds. */
  readonly at: number
}

/** The total of unattested refunds signed on a chain, over the whole life of the store. */
export interface UnattestedTotal {
  readonly chainId: ChainId
  readonly usdMicros: bigint
}

/** Refunds that nothing reimburses, in micro-dollars, under one cap for all workers. */
export class UnattestedRefunds extends Context.Service<UnattestedRefunds, {
  /**
   * True when the refund fits under the cap beside all others of the last 24 hours. It then counts from `at`, in
   * milliseconds, and from its signing once it is signed (`Payments.signOnce`). Atomic under concurrent calls.
   *
   * There is one reservation for each deposit: a second call counts from its own time, and keeps the first value as
   * long as that one counts. Reservations older than two days that were not signed are deleted. A refund that does not
   * fit is stored as held back. A refund that an operator decided on always fits, and takes no room from others.
   */
  readonly reserve: (refund: UnattestedRefund, cap: bigint, at: number) => Effect.Effect<boolean, StoreUnavailable>
  /** Stores a decision. The first decision on a deposit stays and is returned. */
  readonly decide: (decision: RefundDecision) => Effect.Effect<RefundDecision, StoreUnavailable>
  /** Newest first, at most `limit`. */
  readonly decisions: (limit: number) => Effect.Effect<ReadonlyArray<RefundDecision>, StoreUnavailable>
  /** Refunds that wait for room under the cap or for a decision, the longest waiting first, at most `limit`. */
  readonly held: (limit: number) => Effect.Effect<ReadonlyArray<HeldRefund>, StoreUnavailable>
  readonly totals: Effect.Effect<ReadonlyArray<UnattestedTotal>, StoreUnavailable>
}>()("causeway/ports/UnattestedRefunds") {}
