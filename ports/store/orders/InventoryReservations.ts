/**
 * Inventory reserved for requests whose deposit was seen and whose payment is in no block yet. A new quote must not
 * count on it (PRICE-22). An unpaid quote reserves nothing here, because anybody could ask for all of the inventory.
 * Also stores the fills that wait for missing inventory; nothing is reserved for those (`domain/market/FreeInventory`).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Holding as HoldingWithClaims, Waiting } from "../../../src/domain/market/FreeInventory.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"
import type { Holding } from "../../chain/PaymentKinds.ts"

/** What one order will take from a holding, smallest units of the currency. */
export interface InventoryReservation {
  readonly orderId: OrderId
  /** Which of the order's payments. An order has at most one of each. */
  readonly part: "output" | "topup"
  readonly chainId: ChainId
  readonly currency: CurrencyAddress
  readonly holding: Holding
  readonly amount: bigint
}

/** What is claimed of a holding: `promised` is reserved, `waiting` reserves nothing yet. */
export type InventoryClaims = Pick<HoldingWithClaims, "largestPromise" | "promised" | "waiting">

/** Inventory that open requests will take, in smallest units. */
export class InventoryReservations extends Context.Service<InventoryReservations, {
  /** Sets or changes the amount reserved for one of an order's payments. */
  readonly note: (promised: InventoryReservation) => Effect.Effect<void, StoreUnavailable>
  /**
   * Queues the order for these amounts and removes its reservations. An order that waits already keeps its first
   * `since` and `until`. Milliseconds.
   */
  readonly wait: (
    parts: ReadonlyArray<InventoryReservation>,
    place: Pick<Waiting, "since" | "until">
  ) => Effect.Effect<void, StoreUnavailable>
  /** Reserves these amounts for an order that was waiting for them. */
  readonly take: (parts: ReadonlyArray<InventoryReservation>) => Effect.Effect<void, StoreUnavailable>
  /** Removes the order's reservations and its place in the queue, once it is paid, refunded or gone. */
  readonly clear: (orderId: OrderId) => Effect.Effect<void, StoreUnavailable>
  /**
   * What is reserved in one holding, in total and the most for one payment, smallest units, and the fills that wait for
   * it, the oldest first.
   */
  readonly claims: (
    of: Pick<InventoryReservation, "chainId" | "currency" | "holding">
  ) => Effect.Effect<InventoryClaims, StoreUnavailable>
}>()("causeway/ports/InventoryReservations") {}
