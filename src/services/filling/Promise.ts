/** Inventory that is promised to an order whose deposit was seen, until its payment is in a block or will never be. */
import * as Effect from "effect/Effect"
import { Promises } from "../../../ports/Promises.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import { promisedPayment } from "../../domain/transfer/PromisedPayment.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { holdingFor } from "../MarketFacts.ts"
import type { Route } from "../MarketFacts.ts"

/** `amount` in smallest units of the destination currency; an order's topup is promised with it. */
export const promise = Effect.fnUntraced(function*(route: Route, { orderId }: Transfer, amount: bigint) {
  const promises = yield* Promises
  const { destination, destinationCurrency, topupUnits = 0n } = route
  const common = { orderId, chainId: destination.id, holding: holdingFor(route) }
  yield* promises.note({ ...common, part: "output", currency: destinationCurrency.address, amount })
  if (topupUnits > 0n) yield* promises.note({ ...common, part: "topup", currency: destination.native.address, amount: topupUnits })
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
