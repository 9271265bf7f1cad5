/**
 * What is promised to requests whose deposit was seen and whose payment is in no block yet: inventory that a new quote
 * must not count on (PRICE-22). An unpaid quote promises nothing here: anybody could ask for all of the inventory.
 * And who waits for inventory that is not there: nothing is promised to those (`domain/market/FreeInventory`).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Waiting } from "../../../src/domain/market/FreeInventory.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"
import type { Holding } from "../../chain/PaymentKinds.ts"

/** What one order will take of a holding, smallest units of the currency. */
export interface Promised {
  readonly orderId: OrderId
  /** Which of its payments: an order has one of each at most. */
  readonly part: "output" | "topup"
  readonly chainId: ChainId
  readonly currency: CurrencyAddress
  readonly holding: Holding
  readonly amount: bigint
}

export class Promises extends Context.Service<Promises, {
  /** Says or changes what an order is promised for one of its payments. */
  readonly note: (promised: Promised) => Effect.Effect<void, StoreUnavailable>
  /** Stands in the line for these, in place of any promise; the first place and bound are kept. Milliseconds. */
  readonly wait: (
    parts: ReadonlyArray<Promised>,
    place: Pick<Waiting, "since" | "until">
  ) => Effect.Effect<void, StoreUnavailable>
  /** Promises these to one that stood in the line for them. */
  readonly take: (parts: ReadonlyArray<Promised>) => Effect.Effect<void, StoreUnavailable>
  readonly waiting: (
    of: Pick<Promised, "chainId" | "currency" | "holding">
  ) => Effect.Effect<ReadonlyArray<Waiting>, StoreUnavailable>
  /** Once it is paid, refunded or gone: neither promised nor waiting. */
  readonly clear: (orderId: OrderId) => Effect.Effect<void, StoreUnavailable>
  readonly total: (of: Pick<Promised, "chainId" | "currency" | "holding">) => Effect.Effect<bigint, StoreUnavailable>
}>()("causeway/ports/Promises") {}
