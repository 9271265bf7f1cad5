/**
 * Inventory that is reserved for an order whose deposit was seen, until its payment is in a block or can never be made.
 */
import * as Effect from "effect/Effect"
import { Promises } from "../../../ports/store/orders/Promises.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { promisedPayment } from "../../domain/transfer/payment/PromisedPayment.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { waitsUntil } from "../../domain/transfer/WaitsUntil.ts"
import type { Route } from "../quoting/market/MarketFacts.ts"
import { partsOf, standInLine } from "./TakeTurn.ts"

/** `amount` in smallest units of the destination currency; an order's topup is promised with it. */
export const promise = Effect.fnUntraced(function*(route: Route, transfer: Transfer, deposit: Deposit, amount: bigint) {
  const promises = yield* Promises
  const parts = partsOf(route, transfer, amount)
  const until = waitsUntil(transfer, deposit)
  // One that may wait has no claim on what is there; one that was signed keeps what it takes.
  if (until === undefined) yield* Effect.forEach(parts, promises.note, { discard: true })
  else yield* standInLine(parts, deposit, until)
})

/** What a deposit will take of the inventory, as far as can be told when it is first seen. */
export const promiseOnSight = Effect.fnUntraced(function*(route: Route, transfer: Transfer, deposit: Deposit) {
  const amount = promisedPayment(transfer, deposit)
  if (amount !== undefined) yield* promise(route, transfer, deposit, amount)
})

export const keepPromise = Effect.fnUntraced(function*({ orderId }: Transfer) {
  const promises = yield* Promises
  yield* promises.clear(orderId)
})
