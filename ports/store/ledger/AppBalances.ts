/**
 * Reads of the ledger for one owner: the balances of all of a wallet's accounts, and the movements behind them. Reads
 * only.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Account } from "../../../src/domain/ledger/Account.ts"
import type { Debt } from "../../../src/domain/ledger/Debts.ts"
import type { LedgerCurrency, LedgerId, Transaction, TransactionKind } from "../../../src/domain/ledger/Transaction.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** An account with a balance other than zero, in smallest units of the currency. */
export interface OwnedAccount {
  readonly account: Account
  readonly currency: LedgerCurrency
  readonly units: bigint
}

/** A movement as it is posted in the ledger. */
export interface PostedTransaction {
  readonly transaction: Transaction
  /** Milliseconds. */
  readonly at: number
}

/** Where a listing continues: with what comes before this movement. */
export interface StatementPlace {
  readonly at: number
  readonly id: LedgerId
}

/** An owner's accounts in smallest units, and the movements behind them. */
export class AppBalances extends Context.Service<AppBalances, {
  /** Every account of an owner whose balance is not zero. */
  readonly accountsOf: (owner: Address) => Effect.Effect<ReadonlyArray<OwnedAccount>, StoreUnavailable>
  /** What a sponsor owes to recipients of app fees that it took over, and has not paid yet. */
  readonly debtsOf: (wallet: Address) => Effect.Effect<ReadonlyArray<Debt>, StoreUnavailable>
  /** The movement with this id; undefined when there is none. */
  readonly movement: (id: LedgerId) => Effect.Effect<PostedTransaction | undefined, StoreUnavailable>
  /** Every movement of a kind, oldest first. */
  readonly movementsOfKind: (kind: TransactionKind) => Effect.Effect<ReadonlyArray<PostedTransaction>, StoreUnavailable>
  /** Movements that changed an account of the owner, newest first. */
  readonly movementsOf: (
    owner: Address,
    page: { readonly before: StatementPlace | undefined; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<PostedTransaction>, StoreUnavailable>
}>()("causeway/ports/AppBalances") {}
