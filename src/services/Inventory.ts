/**
 * Reads now and then what the solver holds on every chain, in every configured currency, and shows it in the metrics.
 *
 * In a loop of its own, never when somebody asks for the metrics: a scrape costs no call to a chain. A chain that cannot be
 * read keeps the numbers that were read last, and delays no other chain. It decides nothing.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chains } from "../../ports/Chains.ts"
import { Treasury } from "../../ports/Treasury.ts"
import type { Holding } from "../../ports/Treasury.ts"
import type { Chain } from "../domain/chain/Chain.ts"
import type { Currency } from "../domain/money/Currency.ts"
import { noteInventory } from "./Meters.ts"
import { persistently } from "./Persistently.ts"

const EVERY = Duration.seconds(30)

export interface Held {
  readonly chain: Chain
  readonly currency: Currency
  readonly holding: Holding
  /** Smallest units. */
  readonly amount: bigint
}

/** The solver's account, and its vault where there is one. */
const holdingsOn = ({ vault }: Chain): ReadonlyArray<Holding> => vault === undefined ? ["account"] : ["account", "vault"]

/** Everything that is held on a chain now, without regard to what is promised. Fails with `ChainUnavailable`. */
export const inventoryOf = Effect.fn("Inventory.read")(function*(chain: Chain) {
  const treasury = yield* Treasury
  const places = chain.currencies.flatMap((currency) => holdingsOn(chain).map((holding) => ({ chain, currency, holding })))
  return yield* Effect.forEach(places, ({ currency, holding }) =>
    Effect.map(treasury.inventory(chain, currency, holding), (amount): Held => ({ chain, currency, holding, amount })), { concurrency: "unbounded" })
})

const watch = (chain: Chain) =>
  inventoryOf(chain).pipe(
    Effect.flatMap((all) => Effect.forEach(all, noteInventory, { discard: true })),
    persistently(`inventory of ${chain.slug}`),
    Effect.andThen(Effect.sleep(EVERY)),
    Effect.forever
  )

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chains = yield* Chains
  yield* Effect.forEach(chains.all, (chain) => Effect.forkScoped(watch(chain)), { discard: true })
}))
