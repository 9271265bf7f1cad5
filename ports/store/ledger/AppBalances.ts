/** Reads of the ledger for one owner: what every account of a wallet has, and how it came to that. Moves nothing. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Account } from "../../../src/domain/ledger/Account.ts"
import type { Debt } from "../../../src/domain/ledger/Debts.ts"
import type { LedgerCurrency, LedgerId, Transaction, TransactionKind } from "../../../src/domain/ledger/Transaction.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** An account that has something; smallest units of the currency. */
export interface OwnedAccount {
  readonly account: Account
  readonly currency: LedgerCurrency
  readonly units: bigint
}

/** A movement as it stands in the ledger. */
export interface PostedTransaction {
  readonly transaction: Transaction
  /** Milliseconds. */
  readonly at: number
}

/** Where a listing goes on: what comes before this movement. */
export interface StatementPlace {
  readonly at: number
  readonly id: LedgerId
}

export class AppBalances extends Context.Service<AppBalances, {
  /** Every account of an owner that does not stand at zero. */
  readonly accountsOf: (owner: Address) => Effect.Effect<ReadonlyArray<OwnedAccount>, StoreUnavailable>
  /** What a sponsor owes recipients of app fees that it took over, and has not paid. */
  readonly debtsOf: (wallet: Address) => Effect.Effect<ReadonlyArray<Debt>, StoreUnavailable>
  /** The movement of an id; undefined when there is none. */
  readonly movement: (id: LedgerId) => Effect.Effect<PostedTransaction | undefined, StoreUnavailable>
  /** Every movement of a kind, oldest first. */
  readonly movementsOfKind: (kind: TransactionKind) => Effect.Effect<ReadonlyArray<PostedTransaction>, StoreUnavailable>
  /** The movements that touched an account of the owner, newest first. */
  readonly movementsOf: (
    owner: Address,
    page: { readonly before: StatementPlace | undefined; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<PostedTransaction>, StoreUnavailable>
}>()("causeway/ports/AppBalances") {}
