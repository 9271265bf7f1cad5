/** Profit and loss by day, computed from the stored records and the prices that were stored with them. Reads only. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Bookings } from "../../../ports/store/ledger/Bookings.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { accountLines, accountsByDay, profitOf } from "../../domain/ledger/accounting/ProfitAndLoss.ts"
import type { AccountLine, Booking, DayOfAccounts } from "../../domain/ledger/accounting/ProfitAndLoss.ts"
import { findChain, findCurrency } from "../../domain/chain/Chain.ts"
import { usdFloor } from "../../domain/money/Currency.ts"
import type { Usd } from "../../domain/money/Usd.ts"
import { payingChains } from "../quoting/market/PayingChains.ts"

/** Profit and loss by day, and over the whole span. */
export interface AccountsOfSpan {
  readonly days: ReadonlyArray<DayOfAccounts>
  readonly total: { readonly profit: Usd; readonly lines: ReadonlyArray<AccountLine> }
}

export class Accounts extends Context.Service<Accounts, {
  /** From `from`, inclusive, to `to`, exclusive; milliseconds. */
  readonly between: (from: number, to: number) => Effect.Effect<AccountsOfSpan, StoreUnavailable>
}>()("causeway/services/Accounts") {}

export const layer = Layer.effect(
  Accounts,
  Effect.gen(function*() {
    const bookings = yield* Bookings
    const chains = yield* payingChains

    const between: Accounts["Service"]["between"] = Effect.fn("Accounts.between")(function*(from, to) {
      const recorded = yield* bookings.between(from, to)
      const prices = yield* bookings.valuations(from, to)
      const priced = recorded.map(({ at, chainId, currency: named, deposit, kind, units }): Booking => {
        const chain = findChain(chains, chainId)
        const currency = chain === undefined
          ? undefined
          : named === undefined
          ? chain.native
          : findCurrency(chain, named)
        const price = deposit === undefined
          ? undefined
          : prices.get(deposit)?.find((each) => each.chainId === chainId && each.currency === currency?.address)?.price
        const usd = currency === undefined || price === undefined ? undefined : usdFloor(units, { currency, price })
        return { at, chainId, currency: currency?.address ?? named ?? "native", kind, units, usd }
      })
      const lines = accountLines(priced)
      return { days: accountsByDay(priced), total: { profit: profitOf(lines), lines } }
    })

    return Accounts.of({ between })
  })
)
