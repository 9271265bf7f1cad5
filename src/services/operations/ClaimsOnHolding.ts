/**
 * A holding with all claims on it: its inventory, the reserved amount, and the fills that wait for it. Used by quotes
 * and fills alike.
 */
import * as Effect from "effect/Effect"
import { InventoryReservations } from "../../../ports/store/orders/InventoryReservations.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { Holding as Place } from "../../../ports/chain/PaymentKinds.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Holding } from "../../domain/market/FreeInventory.ts"
import type { Currency } from "../../domain/money/Currency.ts"

export const claimsOnHolding = Effect.fnUntraced(function*(chain: Chain, currency: Currency, holding: Place) {
  const treasury = yield* Treasury
  const reservations = yield* InventoryReservations
  const [inventory, claims] = yield* Effect.all([
    treasury.inventory(chain, currency, holding),
    reservations.claims({ chainId: chain.id, currency: currency.address, holding })
  ], { concurrency: "unbounded" })
  return { inventory, ...claims } satisfies Holding
})
