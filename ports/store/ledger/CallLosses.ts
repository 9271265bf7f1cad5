/**
 * What reverted fills that run strangers' code have cost the solver beyond what their deposits covered, in
 * micro-dollars (REFUND-11). It is capped over all workers of a store in any 24 hours. An attacker's code can detect a
 * simulation and revert only on chain; the cap bounds that cost where the deposit does not cover it. Fills that run
 * none, and those that their deposit covers, reserve nothing.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { CallLossCaps, CallRiskKind } from "../../../src/domain/transfer/payment/CallLossRoom.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** Milliseconds for which a loss counts. */
export const CALL_LOSSES_WINDOW_MS = 86_400_000

/** The loss of one order, which is filled at most once. */
export interface CallLoss {
  readonly orderId: OrderId
  /**
   * The account that sent or signed for the deposit, as the chain proves it. So an attacker cannot have losses counted
   * against another account.
   */
  readonly sender: Address
  /** The actual or possible loss, rounded up. */
  readonly usdMicros: bigint
}

/** What a fill may lose that is about to be signed. */
export interface CallRiskToReserve extends CallLoss {
  readonly kind: CallRiskKind
}

/** Losses by reverted calls, in micro-dollars, under one cap for all workers. */
export class CallLosses extends Context.Service<CallLosses, {
  /**
   * True when there is room for it beside all others of the last 24 hours (`hasRoom`); it then counts from `at`, in
   * milliseconds. Atomic under concurrent calls. There is one loss for each order: a second call replaces the first.
   */
  readonly reserve: (
    risk: CallRiskToReserve,
    caps: CallLossCaps,
    at: number
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** Replaces the reservation by the actual loss, regardless of the caps. Zero deletes it. */
  readonly settle: (loss: CallLoss, at: number) => Effect.Effect<void, StoreUnavailable>
  /** Micro-dollars that count at a given time against calls: all but what swaps in flight may lose. */
  readonly spent: (at: number) => Effect.Effect<bigint, StoreUnavailable>
  /**
   * Micro-dollars that count now, as this process knows them. What another process has changed of a reservation is known
   * by notice (`StoreNotices`): the cost of a fill that has reverted. What it has reserved, released or booked without a
   * reservation is known after `SlowPoll`. SECURITY: nothing may be signed by this. What is signed was reserved.
   */
  readonly recentlySpent: Effect.Effect<bigint, StoreUnavailable>
}>()("causeway/ports/CallLosses") {}
