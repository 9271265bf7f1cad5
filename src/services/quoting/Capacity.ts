/** What the solver holds of a currency, and how much of it one new request may take now. Reserves nothing. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { freeForNew } from "../../domain/market/FreeInventory.ts"
import type { Currency } from "../../domain/money/Currency.ts"
import { claimsOnHolding } from "../operations/ClaimsOnHolding.ts"

export class Capacity extends Context.Service<Capacity, {
  /** Of the account that makes plain payments, in smallest units. The fill's own gas is still in both. */
  readonly of: (
    chain: Chain,
    currency: Currency
  ) => Effect.Effect<
    { readonly balance: bigint; readonly perRequest: bigint },
    ChainUnavailable | StoreUnavailable
  >
}>()("causeway/services/Capacity") {}

const capacityOf = Effect.fn("Capacity.of")(function*(chain: Chain, currency: Currency) {
  const held = yield* claimsOnHolding(chain, currency, "account")
  return {
    balance: held.inventory.reduce((sum, amount) => sum + amount, 0n),
    perRequest: freeForNew(held, yield* Clock.currentTimeMillis)
  }
})

export const layer = Layer.effect(
  Capacity,
  Effect.map(
    Effect.context<Effect.Services<ReturnType<typeof capacityOf>>>(),
    (ports) => Capacity.of({ of: (chain, currency) => Effect.provide(capacityOf(chain, currency), ports) })
  )
)
