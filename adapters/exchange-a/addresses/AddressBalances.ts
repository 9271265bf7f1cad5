/** The port `AddressBalances` on exchange A: what a sweep of the address would deposit now, of each currency. */
import { Effect, Layer } from "effect"
import { AddressBalances, nothingLeft } from "../../../ports/chain/AddressBalances.ts"
import type { BalanceSource } from "../../../ports/chain/AddressBalances.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Reading } from "../../../src/domain/deposit-address/reindex/PlanReindex.ts"
import { countedUnits } from "../../../src/domain/families/exchange-a/addresses/Residue.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { unlessDue } from "../../endpoints/AskedFor.ts"
import { elapsedMillis } from "../../quorum/rpc/ElapsedTime.ts"
import { readAsset } from "../pay/ReadAsset.ts"
import type { NamedAsset } from "../pay/ReadAsset.ts"
import { readTransferable } from "../quote/Balance.ts"
import { ExchangeAEndpoints, ExchangeARpc } from "../rpc/ExchangeARpc.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAFault, ExchangeARead } from "../rpc/ExchangeARpc.ts"
import { readHead } from "../watch/Head.ts"
import { WatchPace } from "./WatchPace.ts"

/** How long the name of a token is remembered. Its list weighs ten times a balance. */
const NAMED_MS = 3_600_000

const unread: Reading = { _tag: "Unread" }

/** Names of tokens as an endpoint has listed them a while ago. */
class RememberedAssets {
  private readonly known = new Map<string, { readonly asset: NamedAsset; readonly until: number }>()

  read(client: ExchangeAClient, currency: Currency, deadline: number): Effect.Effect<NamedAsset, ExchangeAFault> {
    const name = `${currency.chainId} ${currency.address}`
    return Effect.flatMap(elapsedMillis, (now) => {
      const found = this.known.get(name)
      if (found !== undefined && found.until > now) return Effect.succeed(found.asset)
      return Effect.tap(
        readAsset(client, currency, deadline),
        (asset) => Effect.sync(() => this.known.set(name, { asset, until: now + NAMED_MS }))
      )
    })
  }
}

export const layer = Layer.effect(
  AddressBalances,
  Effect.gen(function*() {
    const rpc = yield* ExchangeARpc
    const { weightPerMinute } = yield* ExchangeAEndpoints
    const assets = new RememberedAssets()
    const paces = new Map<ChainId, WatchPace<Reading>>()
    const paceOf = ({ id }: Chain): WatchPace<Reading> => {
      const pace = paces.get(id) ?? new WatchPace<Reading>(weightPerMinute)
      paces.set(id, pace)
      return pace
    }

    const balancesOf = (
      holder: Address,
      currencies: ReadonlyArray<Currency>
    ): ExchangeARead<ReadonlyArray<Reading>> =>
      Effect.fnUntraced(function*(client, deadline) {
        // The clock first: the balances are no older.
        const { height } = yield* readHead(client, deadline)
        return yield* Effect.forEach(currencies, (currency) =>
          assets.read(client, currency, deadline).pipe(
            Effect.flatMap(({ name }) => readTransferable(client, holder, currency, name, deadline)),
            Effect.map((held): Reading => ({ _tag: "Read", units: countedUnits(currency, held), height })),
            Effect.orElseSucceed(() => unread)
          ), { concurrency: 4 })
      })

    const readNow = (chain: Chain, balances: ExchangeARead<ReadonlyArray<Reading>>) =>
      rpc.call(chain, "balances of a deposit address", ({ read }) => read(balances))

    /** The last reading, where it is not its turn: it is no newer than it says, so a sweep since makes it outdated. */
    const readInTurn = Effect.fnUntraced(
      function*(chain: Chain, holder: Address, currency: Currency) {
        const pace = paceOf(chain)
        const name = `${holder} ${currency.address}`
        if (pace.takes(name, yield* elapsedMillis)) {
          const [reading = unread] = yield* readNow(chain, balancesOf(holder, [currency]))
          pace.note(name, reading)
        }
        return pace.lastOf(name) ?? unread
      }
    )

    return AddressBalances.of({
      leftBySweeps: nothingLeft,
      // Anybody can ask for an address (REINDEX-1). Those that are watched have a share of their own (WatchPace).
      read: (chain, holder, currencies, from: BalanceSource = "asked") =>
        from === "asked"
          ? Effect.flatMap(unlessDue(balancesOf(holder, currencies)), (asked) => readNow(chain, asked))
          : Effect.forEach(currencies, (currency) => readInTurn(chain, holder, currency))
    })
  })
)
