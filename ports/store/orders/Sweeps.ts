/**
 * Stores sweeps of deposit addresses: one for each balance that was found, numbered by address and currency. A number
 * is used once, and only one sweep is queued at a time, so a balance is never swept twice (ADDRESS-4). A sweep that a
 * reorg past finality undoes is queued again, in its next round: its transaction is made again from the stored bytes,
 * and all later payments of the account wait behind its sequence.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { SignedPayment } from "../../chain/Treasury.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/**
 * `queued` until its transaction is in a block (`done`), or there turns out to be nothing to sweep (`void`); `queued`
 * again when a reorg undoes it.
 */
export type SweepState = "queued" | "done" | "void"

/** A sweep to be queued. */
export interface NewSweep {
  /**
   * Identifies its transaction where other payments have an order id. Computed from (chain, address, currency, number).
   */
  readonly id: Hex32
  /** The chain of the sweep. */
  readonly chainId: ChainId
  readonly address: Address
  readonly currency: CurrencyAddress
  /** Counted from zero. */
  readonly number: number
  /** The order from which the address is computed. */
  readonly orderId: OrderId
  readonly depositor: Address
  /** The balance that was seen, smallest units. The sweep takes the whole balance at its time. */
  readonly units: bigint
  /** Milliseconds. */
  readonly queuedAt: number
}

/** A sweep as it is stored. */
export interface Sweep extends NewSweep {
  /**
   * The order that the deposit will name: the address's own, or one that was made for this deposit; undefined until
   * that is decided.
   */
  readonly depositId: OrderId | undefined
  readonly state: SweepState
  /** The height of the block that executed it, or in which the balance was gone; undefined while it is queued. */
  readonly height: bigint | undefined
  /** How often its transaction was lost. Each round is tracked separately. */
  readonly round: number
}

/** The sweeps of one currency of one address on one chain, summed up. */
export interface SweepsOfCurrency {
  readonly currency: CurrencyAddress
  readonly queued: boolean
  /** Whether one is done and not known to be final. */
  readonly unfinal: boolean
  /** How many have ended. */
  readonly completed: number
  /** The greatest height at which one ended. */
  readonly lastHeight: bigint | undefined
}

/** Sweeps of deposit addresses by number. One is queued at a time for an address and currency. */
export class Sweeps extends Context.Service<Sweeps, {
  /** One for each currency that has had a sweep. */
  readonly of: (chainId: ChainId, address: Address) => Effect.Effect<ReadonlyArray<SweepsOfCurrency>, StoreUnavailable>
  /** False, and nothing is stored, when the number was used before or another sweep of the currency is queued. */
  readonly queue: (sweep: NewSweep) => Effect.Effect<boolean, StoreUnavailable>
  /** Decides permanently which order the deposit of a sweep will name. Returns the first decision. */
  readonly name: (id: Hex32, depositId: OrderId) => Effect.Effect<OrderId, StoreUnavailable>
  readonly find: (id: Hex32) => Effect.Effect<Sweep | undefined, StoreUnavailable>
  /** Queued sweeps, oldest first. */
  readonly open: Effect.Effect<ReadonlyArray<Sweep>, StoreUnavailable>
  /** Sweeps that are done and not known to be final, oldest first. */
  readonly unfinal: Effect.Effect<ReadonlyArray<Sweep>, StoreUnavailable>
  /** Sweeps of an address on any chain, newest first; at most `limit`. */
  readonly ofAddress: (address: Address, limit: number) => Effect.Effect<ReadonlyArray<Sweep>, StoreUnavailable>
  /**
   * Everything that was ever signed for sweeps of an address on a chain, by transaction id. Also what was set aside: on
   * a chain where an address pays for its sweeps, it may have been sent what such a one needed.
   */
  readonly signed: (chainId: ChainId, address: Address) => Effect.Effect<ReadonlyArray<SignedPayment>, StoreUnavailable>
  /**
   * Ends a queued sweep. Does nothing when it has ended or is in another round. SECURITY: as `void` only while none of
   * its payments may still be executed, else it is queued in its next round; nothing is signed for one that is `void`
   * (ADDRESS-18).
   */
  readonly close: (
    id: Hex32,
    round: number,
    end: { readonly state: Exclude<SweepState, "queued">; readonly height: bigint },
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  /** Records that a sweep that is done is final. Does nothing when it is in another round. */
  readonly recordFinal: (
    id: Hex32,
    round: number,
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  /**
   * Records that a sweep that is done moved nothing after all, under the condition of `close`. Does nothing when it is
   * in another round.
   */
  readonly fail: (id: Hex32, round: number) => Effect.Effect<void, StoreUnavailable>
  /**
   * Queues a sweep that is done again, in its next round, even when another sweep of its currency is queued. False when
   * it does not exist, moved nothing, or is queued already (the worker that tracks it has not finished).
   */
  readonly reopen: (id: Hex32) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/Sweeps") {}
