/**
 * The double-entry ledger of sponsor and app-fee money (LEDGER-1): append-only movements, and an account's balance that
 * is their sum. What may be posted is the domain's rule (`judgeTransaction`); the store keeps it under concurrency.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Account } from "../../../src/domain/ledger/Account.ts"
import type { LedgerRefused } from "../../../src/domain/ledger/LedgerRefused.ts"
import type { LedgerCurrency, Transaction } from "../../../src/domain/ledger/Transaction.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** An account whose kept balance is not the sum of its entries; smallest units of the currency. */
export interface LedgerDifference {
  readonly account: string
  readonly currency: LedgerCurrency
  readonly kept: bigint
  readonly summed: bigint
}

export class Ledger extends Context.Service<Ledger, {
  /** Durable once it returns; the same movement again changes nothing. `at` in milliseconds. */
  readonly post: (transaction: Transaction, at: number) => Effect.Effect<void, LedgerRefused | StoreUnavailable>
  /** Smallest units of the currency; zero for an account that nothing was posted to. */
  readonly balanceOf: (account: Account, currency: LedgerCurrency) => Effect.Effect<bigint, StoreUnavailable>
  /** Every account recomputed from its entries: none differ unless the store is damaged. */
  readonly differences: Effect.Effect<ReadonlyArray<LedgerDifference>, StoreUnavailable>
}>()("causeway/ports/Ledger") {}
