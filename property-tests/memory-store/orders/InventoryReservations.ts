/** The port `InventoryReservations` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { InventoryReservations } from "../../../ports/store/orders/InventoryReservations.ts"
import type { InventoryReservation } from "../../../ports/store/orders/InventoryReservations.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"

/** A part of an order's inventory is reserved, or another amount of it. */
export const reserve = ({ reservations }: Tables, reserved: InventoryReservation): void => {
  const key = keyOf(reserved.part, reserved.orderId)
  reservations.set(key, { ...(reservations.get(key) ?? reserved), amount: reserved.amount })
}

const unreserve = ({ reservations }: Tables, orderId: string): void => {
  reservations.remove(keyOf("output", orderId))
  reservations.remove(keyOf("topup", orderId))
}

const leaveQueue = ({ waiting, waitingOfOrder }: Tables, orderId: string): void => {
  for (const { currency } of waitingOfOrder(orderId)) waiting.remove(keyOf(orderId, currency))
}

/** An order takes no inventory any more, and waits for none. */
export const clearReservations = (tables: Tables, orderId: string): void => {
  unreserve(tables, orderId)
  leaveQueue(tables, orderId)
}

export const layer = Layer.effect(
  InventoryReservations,
  Effect.map(MemoryStore, ({ call }) =>
    InventoryReservations.of({
      note: (promised) => call("InventoryReservations.note", (tables) => reserve(tables, promised)),
      wait: (parts, { since, until }) =>
        call("InventoryReservations.wait", (tables) => {
          for (const part of parts) {
            unreserve(tables, part.orderId)
            const key = keyOf(part.orderId, part.currency)
            const before = tables.waiting.get(key) ?? { ...part, since, until }
            tables.waiting.set(key, { ...before, amount: part.amount })
          }
        }),
      take: (parts) =>
        call("InventoryReservations.take", (tables) => {
          for (const part of parts) {
            leaveQueue(tables, part.orderId)
            reserve(tables, part)
          }
        }),
      clear: (orderId) => call("InventoryReservations.clear", (tables) => clearReservations(tables, orderId)),
      claims: ({ chainId, currency, holding }) =>
        call("InventoryReservations.claims", ({ reservationsOf, waitingOf }) => {
          const place = keyOf(chainId, currency, holding)
          const promised = reservationsOf(place).map(({ amount }) => amount)
          return {
            promised: promised.reduce((sum, amount) => sum + amount, 0n),
            largestPromise: promised.reduce((most, amount) => amount > most ? amount : most, 0n),
            waiting: waitingOf(place).toSorted(ascending(({ since }) => since, ({ orderId }) => orderId)).map((
              { amount, orderId, since, until }
            ) => ({ orderId, amount, since, until }))
          }
        })
    }))
)
