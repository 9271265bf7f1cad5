/**
 * The double-entry ledger of sponsor and app-fee money (LEDGER-1): append-only movements. An account's balance is the
 * sum of its entries. The domain decides what may be posted (`judgeTransaction`); the store enforces it under
 * concurrency.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Account } from "../../../src/domain/ledger/Account.ts"
import type { LedgerRefused } from "../../../src/domain/ledger/LedgerRefused.ts"
import type { LedgerCurrency, Transaction } from "../../../src/domain/ledger/Transaction.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** An account whose stored balance is not the sum of its entries; smallest units of the currency. */
export interface LedgerDifference {
  readonly account: string
  readonly currency: LedgerCurrency
  readonly kept: bigint
  readonly summed: bigint
}

/**
 * Posts movements and reads balances, in smallest units. A movement is posted once; one that is refused changes
 * nothing.
 */
export class Ledger extends Context.Service<Ledger, {
  /** Durable once it returns. Idempotent: posting the same movement again changes nothing. `at` in milliseconds. */
  readonly post: (transaction: Transaction, at: number) => Effect.Effect<void, LedgerRefused | StoreUnavailable>
  /** Smallest units of the currency; zero for an account without postings. */
  readonly balanceOf: (account: Account, currency: LedgerCurrency) => Effect.Effect<bigint, StoreUnavailable>
  /** Recomputes every account from its entries. Empty unless the store is damaged. */
  readonly differences: Effect.Effect<ReadonlyArray<LedgerDifference>, StoreUnavailable>
}>()("causeway/ports/Ledger") {}
