/**
 * Stores the prices at the time of a payment or sweep, for accounting. Their value is looked up once and decides
 * nothing: without it the accounts say "unpriced", and no payment waits for a price.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Bookings } from "../../../ports/store/ledger/Bookings.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import type { Currency } from "../../domain/money/Currency.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"

const PATIENCE = Duration.seconds(5)

export const noteValues = Effect.fnUntraced(
  function*({ onchainId }: Pick<Deposit, "onchainId">, currencies: ReadonlyArray<Currency>) {
    const prices = yield* Prices
    const bookings = yield* Bookings
    const look = Effect.forEach(currencies, (currency) => prices.priceOf(currency), { concurrency: "unbounded" }).pipe(
      Effect.timeoutOption(PATIENCE)
    )
    yield* Effect.ignore(Effect.gen(function*() {
      const found = yield* look
      if (found._tag === "None") return
      yield* bookings.value(
        onchainId,
        found.value.map(({ currency, price }) => ({ chainId: currency.chainId, currency: currency.address, price }))
      )
    }))
  }
)
