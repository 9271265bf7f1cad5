/**
 * What the solver's holdings have and what is claimed of them, cached for quotes. A quote reserves nothing: inventory is
 * taken, and checked again, in the transaction that signs the fill. So an old number may refuse a quote, or make one
 * whose fill then waits or is refunded, as it may be when others use the inventory first.
 *
 * Not for fills: they read the chain and the store each time.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Holding } from "../../../domain/market/FreeInventory.ts"
import { makeTtlCache } from "../../polling/TtlCache.ts"
import type { TtlCache } from "../../polling/TtlCache.ts"

/** More places than a service has. */
const CAPACITY = 1_000

/** Keyed by chain, currency and place. Caches nothing unless a host says for how long. */
export const RecentHoldings = Context.Reference<TtlCache<Holding>>("causeway/services/RecentHoldings", {
  defaultValue: () => makeTtlCache({ maxAge: 0, capacity: 0 })
})

/** `maxAge` in milliseconds. */
export const layer = (maxAge: number): Layer.Layer<never> =>
  Layer.sync(RecentHoldings, () => makeTtlCache({ maxAge, capacity: CAPACITY }))
