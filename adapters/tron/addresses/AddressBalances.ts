/**
 * The port `AddressBalances` on Tron: what the address holds of each currency in solidified blocks, as far as it counts,
 * and what sweeps have left of it.
 */
import { Effect, Layer, Result, Semaphore } from "effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import type { Reading } from "../../../src/domain/deposit-address/reindex/PlanReindex.ts"
import { countedTrx } from "../../../src/domain/families/tron/addresses/SweepMoney.ts"
import type { TronPrices as Prices } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import { accountOfTron } from "../../../src/domain/families/tron/TronAddresses.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { TronPrices } from "../cost/TronPrices.ts"
import { newestSolid } from "../observe/ReadPlace.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import type { TronRead } from "../rpc/TronRpc.ts"
import { readFinalUnits } from "./FinalUnits.ts"
import { makeLeftBySweeps } from "./LeftBySweeps.ts"
import type { Holder } from "./FinalUnits.ts"
import { makeWatchedAccounts } from "./WatchedAccounts.ts"

/** Balances of one address that a node is asked for at once. */
const AT_ONCE = 4

/** Addresses that are read at once. Public nodes refuse bursts, and no request can ask for several addresses. */
const ADDRESSES_AT_ONCE = 20

const readAll = (holder: Holder, currencies: ReadonlyArray<Currency>, prices: Prices): TronRead<
  ReadonlyArray<Reading>
> =>
  Effect.fnUntraced(function*(node, deadline) {
    // The block first: the balances are no older.
    const { height } = yield* newestSolid(node, deadline)
    return yield* Effect.forEach(currencies, ({ address, isNative }) => {
      const token = isNative ? undefined : Result.getOrThrow(accountOfTron(address))
      return readFinalUnits(node, holder, token, deadline).pipe(
        Effect.map((held): Reading => ({
          _tag: "Read",
          units: isNative ? countedTrx(held, prices) : held,
          height,
          isFinal: true
        })),
        Effect.orElseSucceed((): Reading => ({ _tag: "Unread" }))
      )
    }, { concurrency: AT_ONCE })
  })

export const layer = Layer.effect(
  AddressBalances,
  Effect.gen(function*() {
    const rpc = yield* TronRpc
    const prices = yield* TronPrices
    const asking = yield* Semaphore.make(ADDRESSES_AT_ONCE)
    const watched = makeWatchedAccounts(rpc)
    return AddressBalances.of({
      leftBySweeps: makeLeftBySweeps(rpc),
      read: Effect.fnUntraced(function*(chain, address, currencies, from = "asked") {
        const holder = { address, evm: Result.getOrThrow(accountOfTron(address)) }
        const ask = Effect.flatMap(prices.of(chain), (known) =>
          asking.withPermits(1)(
            rpc.call(
              chain,
              "balances of a deposit address",
              (client) => client.read(readAll(holder, currencies, known))
            )
          ))
        return yield* from === "asked" ? ask : watched(chain, holder, currencies, ask)
      })
    })
  })
)
