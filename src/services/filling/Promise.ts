/** Inventory that is promised to an order whose deposit was seen, until its payment is in a block or will never be. */
import * as Effect from "effect/Effect"
import { Promises } from "../../../ports/Promises.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import { promisedPayment } from "../../domain/transfer/PromisedPayment.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import type { Route } from "../MarketFacts.ts"

/** `amount` in smallest units of the destination currency. */
export const promise = Effect.fnUntraced(function*({ calls, destination, destinationCurrency }: Route, { orderId }: Transfer, amount: bigint) {
  const promises = yield* Promises
  yield* promises.note({
    orderId,
    chainId: destination.id,
    currency: destinationCurrency.address,
    holding: calls.length === 0 ? "account" : "vault",
    amount
  })
})

/** What a deposit will take of the inventory, as far as can be told when it is first seen. */
export const promiseOnSight = Effect.fnUntraced(function*(route: Route, transfer: Transfer, deposit: Deposit) {
  const amount = promisedPayment(transfer, deposit)
  if (amount !== undefined) yield* promise(route, transfer, amount)
})

export const keepPromise = Effect.fnUntraced(function*({ orderId }: Transfer) {
  const promises = yield* Promises
  yield* promises.clear(orderId)
})
