/** Reserves inventory for an order whose deposit was seen, until its payment is in a block or can never be made. */
import * as Effect from "effect/Effect"
import { InventoryReservations } from "../../../ports/store/orders/InventoryReservations.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { paymentToReserve } from "../../domain/transfer/payment/PaymentToReserve.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { inventoryWaitEnd } from "../../domain/transfer/InventoryWait.ts"
import type { Route } from "../quoting/market/MarketFacts.ts"
import { partsOf, joinQueue } from "./InventoryQueue.ts"

/** `amount` in smallest units of the destination currency. The order's topup is reserved with it. */
export const reserve = Effect.fnUntraced(function*(route: Route, transfer: Transfer, deposit: Deposit, amount: bigint) {
  const reservations = yield* InventoryReservations
  const parts = partsOf(route, transfer, amount)
  const until = inventoryWaitEnd(transfer, deposit)
  // A fill that may wait has no claim on the inventory yet. A signed one keeps what it takes.
  if (until === undefined) yield* Effect.forEach(parts, reservations.note, { discard: true })
  else yield* joinQueue(parts, deposit, until)
})

/** What a fill of `amount` reserves at once; undefined for one that may wait, which has no claim before its turn. */
export const reservedAtOnce = (route: Route, transfer: Transfer, deposit: Deposit, amount: bigint) =>
  inventoryWaitEnd(transfer, deposit) === undefined ? partsOf(route, transfer, amount) : undefined

/** The same of what a deposit will probably take. */
export const reservedOnSight = (route: Route, transfer: Transfer, deposit: Deposit) => {
  const amount = paymentToReserve(transfer, deposit)
  return amount === undefined ? undefined : reservedAtOnce(route, transfer, deposit, amount)
}

/** Reserves what a deposit will probably take, when it is first seen. */
export const reserveOnSight = Effect.fnUntraced(function*(route: Route, transfer: Transfer, deposit: Deposit) {
  const amount = paymentToReserve(transfer, deposit)
  if (amount !== undefined) yield* reserve(route, transfer, deposit, amount)
})

/** Clears the order's reservation, when nothing will be delivered. */
export const clearReservation = Effect.fnUntraced(function*({ orderId }: Transfer) {
  const reservations = yield* InventoryReservations
  yield* reservations.clear(orderId)
})
