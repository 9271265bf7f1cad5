/**
 * The queue of fills that wait for inventory (REQUEST-16, useExternalLiquidity).
 *
 * A fill's place is the time of its deposit, so that crashes and repeated calls do not change it. When its turn comes,
 * the inventory is reserved for it as for any other fill. If it then cannot be signed, it returns to the queue.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Due } from "../../../ports/chain/Due.ts"
import { InventoryReservations } from "../../../ports/store/orders/InventoryReservations.ts"
import type { InventoryReservation } from "../../../ports/store/orders/InventoryReservations.ts"
import { isTurn } from "../../domain/market/FreeInventory.ts"
import type { Waiting } from "../../domain/market/FreeInventory.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { inventoryWaitEnd } from "../../domain/transfer/InventoryWait.ts"
import { claimsOnHolding } from "../operations/ClaimsOnHolding.ts"
import { holdingFor } from "../quoting/market/MarketFacts.ts"
import type { Route } from "../quoting/market/MarketFacts.ts"

/** The amounts that a fill of `amount` takes from each holding, smallest units. */
export const partsOf = (
  route: Route,
  { orderId }: Pick<Transfer, "orderId">,
  amount: bigint
): ReadonlyArray<InventoryReservation> => {
  const { destination, destinationCurrency, topupUnits = 0n } = route
  const common = { orderId, chainId: destination.id, holding: holdingFor(route) }
  return [
    { ...common, part: "output", currency: destinationCurrency.address, amount },
    ...(topupUnits > 0n
      ? [{ ...common, part: "topup" as const, currency: destination.native.address, amount: topupUnits }]
      : [])
  ]
}

/** Queues the fill with the amounts that it will take. Nothing is reserved for it yet. */
export const joinQueue = Effect.fnUntraced(
  function*(parts: ReadonlyArray<InventoryReservation>, { block }: Pick<Deposit, "block">, until: number) {
    const reservations = yield* InventoryReservations
    yield* reservations.wait(parts, { since: block.time * 1000, until: until * 1000 })
  }
)

/**
 * True when it is this fill's turn: its inventory is reserved from then on. Undefined for a fill that does not wait.
 */
export const inventoryTurnOf = (route: Route, transfer: Transfer, deposit: Deposit, amount: bigint) => {
  const until = inventoryWaitEnd(transfer, deposit)
  if (until === undefined) return undefined
  const { destination } = route
  const parts = partsOf(route, transfer, amount)
  const isFree = Effect.fnUntraced(function*(part: InventoryReservation, now: number) {
    const currency = part.part === "output" ? route.destinationCurrency : destination.native
    // Both parts together when they have the same currency.
    const amount = parts.filter((other) => other.currency === part.currency).reduce(
      (sum, other) => sum + other.amount,
      0n
    )
    const own: Waiting = { orderId: part.orderId, amount, since: deposit.block.time * 1000, until: until * 1000 }
    const held = claimsOnHolding(destination, currency, part.holding)
    return isTurn(yield* Effect.provideService(held, Due, true), own, now)
  })
  const take = Effect.gen(function*() {
    const reservations = yield* InventoryReservations
    yield* reservations.wait(parts, { since: deposit.block.time * 1000, until: until * 1000 })
    const now = yield* Clock.currentTimeMillis
    const free = yield* Effect.forEach(parts, (part) => isFree(part, now))
    if (free.includes(false)) return false
    yield* reservations.take(parts)
    return true
  })
  return { until, take }
}
