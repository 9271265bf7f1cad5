/**
 * A holding with all that is claimed of it: what there is, what of it is promised, and which fills wait for it. One
 * look, for quotes and fills alike.
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
  const promises = yield* InventoryReservations
  const of = { chainId: chain.id, currency: currency.address, holding }
  const found: Holding = yield* Effect.all({
    inventory: treasury.inventory(chain, currency, holding),
    promised: promises.total(of),
    waiting: promises.waiting(of)
  }, { concurrency: "unbounded" })
  return found
})
