/**
 * Where sweeps of deposit addresses are kept: one for each balance that was found, numbered by address and currency. A
 * number is used once and while a sweep is queued no other is, which is why a balance is never withdrawn twice
 * (ADDRESS-4). One that a reorganisation past finality has undone is queued again, in its next round: its transaction
 * is made anew by the bytes that it has, and behind its sequence wait all others of the account.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/**
 * `queued` until its transaction is in a block (`done`), or it turned out that nothing is there to sweep (`void`);
 * `queued` again when it is undone.
 */
export type SweepState = "queued" | "done" | "void"

/** A sweep that is to be queued. */
export interface NewSweep {
  /** Names its transaction where payments name an order: of (chain, address, currency, number). */
  readonly id: Hex32
  /** The chain on which it happens. */
  readonly chainId: ChainId
  readonly address: Address
  readonly currency: CurrencyAddress
  /** Counted from zero. */
  readonly number: number
  /** What the address follows from. */
  readonly orderId: OrderId
  readonly depositor: Address
  /** What was seen there, smallest units. A sweep takes all that there is by then. */
  readonly units: bigint
  /** Milliseconds. */
  readonly queuedAt: number
}

/** A sweep as it is kept. */
export interface Sweep extends NewSweep {
  /**
   * The order that the deposit will name: the address's own, or one that was made for this deposit; undefined until
   * that is decided.
   */
  readonly depositId: OrderId | undefined
  readonly state: SweepState
  /** Of the block that it was executed in, or in which nothing was there any more; undefined while it is queued. */
  readonly height: bigint | undefined
  /** How often its transaction was lost again: each time it is looked after anew. */
  readonly round: number
}

/** What is known of the sweeps of one currency of one address on one chain. */
export interface SweepsOfCurrency {
  readonly currency: CurrencyAddress
  readonly queued: boolean
  /** How many have ended. */
  readonly completed: number
  /** The greatest height at which one ended. */
  readonly lastHeight: bigint | undefined
}

export class Sweeps extends Context.Service<Sweeps, {
  /** One for each currency that has had a sweep. */
  readonly of: (chainId: ChainId, address: Address) => Effect.Effect<ReadonlyArray<SweepsOfCurrency>, StoreUnavailable>
  /** False, and nothing is kept, when the number was used before or another sweep of the currency is queued. */
  readonly queue: (sweep: NewSweep) => Effect.Effect<boolean, StoreUnavailable>
  /** Decides which order the deposit of a sweep will name, once for ever: the answer is what was decided first. */
  readonly name: (id: Hex32, depositId: OrderId) => Effect.Effect<OrderId, StoreUnavailable>
  readonly find: (id: Hex32) => Effect.Effect<Sweep | undefined, StoreUnavailable>
  /** Queued ones, oldest first. */
  readonly open: Effect.Effect<ReadonlyArray<Sweep>, StoreUnavailable>
  /** Of an address on whatever chain, the newest first; at most `limit`. */
  readonly ofAddress: (address: Address, limit: number) => Effect.Effect<ReadonlyArray<Sweep>, StoreUnavailable>
  /** Ends a queued sweep; does nothing to one that has ended, or is in another round by now. */
  readonly close: (
    id: Hex32,
    round: number,
    end: { readonly state: Exclude<SweepState, "queued">; readonly height: bigint },
    /** Milliseconds. */
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  /** Says of one that is done that it moved nothing after all; does nothing to one that is in another round by now. */
  readonly fail: (id: Hex32, round: number) => Effect.Effect<void, StoreUnavailable>
  /**
   * Queues a sweep that is done again, in its next round, whatever else of its currency is queued; false for one that
   * is queued (whoever looks after it has not ended), that moved nothing, or that there is not.
   */
  readonly reopen: (id: Hex32) => Effect.Effect<boolean, StoreUnavailable>
}>()("causeway/ports/Sweeps") {}
