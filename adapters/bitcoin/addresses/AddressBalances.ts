/** The port `AddressBalances` on Bitcoin: what a sweep of the address would move now. */
import { Effect, Layer } from "effect"
import { AddressBalances, nothingLeft } from "../../../ports/chain/AddressBalances.ts"
import type { Reading } from "../../../src/domain/deposit-address/reindex/PlanReindex.ts"
import { AddressCoins } from "./AddressCoins.ts"

export const layer = Layer.effect(
  AddressBalances,
  Effect.map(AddressCoins, (coinsOf) =>
    AddressBalances.of({
      leftBySweeps: nothingLeft,
      read: (chain, holder, currencies, from = "asked") =>
        Effect.map(coinsOf.of(chain, holder, from), ({ coins, height }) => {
          const units = coins.reduce((sum, { amount }) => sum + amount, 0n)
          return currencies.map(({ isNative }): Reading =>
            isNative ? { _tag: "Read", units, height } : { _tag: "Unread", untaken: true }
          )
        })
    }))
)
