/** The port `Ledger` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import type { LedgerDifference } from "../../../ports/store/ledger/Ledger.ts"
import { accountKey } from "../../../src/domain/ledger/Account.ts"
import { debtChanges } from "../../../src/domain/ledger/Debts.ts"
import type { Debt } from "../../../src/domain/ledger/Debts.ts"
import { currencyKey } from "../../../src/domain/ledger/Transaction.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"
import { balanceIn, postMovement } from "./PostedMovements.ts"

const nameOf = ({ recipient, wallet }: Debt): string => `Debt:${wallet}>${recipient}`

/** What is kept of accounts and debts, against the sums of what was posted. */
const differences = ({ balances, debts, entries, movements }: Tables): ReadonlyArray<LedgerDifference> => {
  const all = new Map<string, LedgerDifference>()
  const count = (account: string, currency: LedgerDifference["currency"], side: "kept" | "summed", units: bigint) => {
    const key = keyOf(account, currencyKey(currency))
    const before = all.get(key) ?? { account, currency, kept: 0n, summed: 0n }
    all.set(key, { ...before, [side]: before[side] + units })
  }
  for (const { account, currency, units } of balances.all()) count(accountKey(account), currency, "kept", units)
  for (const { account, currency, units } of entries.all()) count(accountKey(account), currency, "summed", units)
  for (const debt of debts.all()) count(nameOf(debt), debt.currency, "kept", debt.units)
  for (const { transaction } of movements.all()) {
    for (const debt of debtChanges(transaction) ?? []) count(nameOf(debt), debt.currency, "summed", debt.units)
  }
  return [...all.values()].filter(({ kept, summed }) => kept !== summed)
}

export const layer = Layer.effect(
  Ledger,
  Effect.map(MemoryStore, ({ attempt, call }) =>
    Ledger.of({
      post: (movement, at) => attempt("Ledger.post", (tables) => postMovement(tables, movement, at)),
      balanceOf: (account, currency) => call("Ledger.balanceOf", (tables) => balanceIn(tables, account, currency)),
      differences: call("Ledger.differences", differences)
    }))
)
