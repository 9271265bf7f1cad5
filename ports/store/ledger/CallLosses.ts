/**
 * What reverted fills with calls have cost the solver beyond what their deposits bore: in micro-dollars, capped over
 * all workers of a store in any 24 hours. A stranger's calls can tell a trial from the real thing; the cap is what that
 * can cost where the deposit does not cover it. Plain fills, and calls whose deposit covers them, ask for no room.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** Milliseconds for which a loss counts. */
export const CALL_LOSSES_WINDOW_MS = 86_400_000

/** Of one order, which is filled once. */
export interface CallLoss {
  readonly orderId: OrderId
  /** Who sent or signed for the deposit, as the chain proves it: nobody can have another's losses counted as theirs. */
  readonly sender: Address
  /** What is lost, or can be, rounded up. */
  readonly usdMicros: bigint
}

/** Micro-dollars in 24 hours: of all, and of one sender. */
export interface CallLossCaps {
  readonly all: bigint
  readonly sender: bigint
}

export class CallLosses extends Context.Service<CallLosses, {
  /**
   * True when it fits under both caps beside all others of the last 24 hours; it counts from `at` then, in
   * milliseconds. Atomic, whoever asks at the same time. Once for each order: asked again, the newer answer counts.
   */
  readonly reserve: (loss: CallLoss, caps: CallLossCaps, at: number) => Effect.Effect<boolean, StoreUnavailable>
  /** What it came to, whatever the caps say, instead of what was reserved; zero forgets it. */
  readonly settle: (loss: CallLoss, at: number) => Effect.Effect<void, StoreUnavailable>
  /** Micro-dollars that count at a time. */
  readonly spent: (at: number) => Effect.Effect<bigint, StoreUnavailable>
}>()("causeway/ports/CallLosses") {}
