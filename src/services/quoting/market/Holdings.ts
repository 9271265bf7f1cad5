/** What the solver holds on a chain, by currency and place. Reservations are not subtracted. */
import * as Effect from "effect/Effect"
import { Due } from "../../../../ports/chain/Due.ts"
import { Treasury } from "../../../../ports/chain/Treasury.ts"
import type { Holding } from "../../../../ports/chain/PaymentKinds.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Currency } from "../../../domain/money/Currency.ts"

/** One currency in one place on one chain. */
export interface Place {
  readonly chain: Chain
  readonly currency: Currency
  readonly holding: Holding
}

/** A balance of the solver at one place. */
export interface Held extends Place {
  /** Smallest units. */
  readonly amount: bigint
}

const placesOf = ({ vault }: Chain): ReadonlyArray<Holding> => vault === undefined ? ["account"] : ["account", "vault"]

/** Every configured currency in the solver's accounts, and in its vault where there is one. */
export const holdingsOn = (chain: Chain): ReadonlyArray<Place> =>
  chain.currencies.flatMap((currency) => placesOf(chain).map((holding) => ({ chain, currency, holding })))

/** What is there in all accounts of the place together, smallest units. */
export const heldIn = Effect.fnUntraced(function*({ chain, currency, holding }: Place) {
  const treasury = yield* Treasury
  return (yield* treasury.inventory(chain, currency, holding)).reduce((sum, amount) => sum + amount, 0n)
})

/** For operators: what is held on a chain now, each place read once, and why places could not be read. */
export const readHoldings = Effect.fn("Holdings.read")(function*(chain: Chain) {
  const [held, failures] = yield* Effect.partition(
    holdingsOn(chain),
    (place) => Effect.map(Effect.provideService(heldIn(place), Due, true), (amount): Held => ({ ...place, amount })),
    { concurrency: "unbounded" }
  )
  return { held, failures }
})
