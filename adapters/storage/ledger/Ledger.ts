/**
 * The ledger in SQL, one text for both engines: entries that are only ever added, and a row for each account that
 * carries their sum.
 *
 * A movement locks the rows of its accounts in one order, asks the domain, and writes entries and sums in the same
 * transaction; beside them a row for what each sponsor owes each recipient (`DebtRows`). That no wallet, hold,
 * recipient or debt falls below zero is checked by the database as well. Amounts are TEXT because app fees are in any
 * currency, up to uint256 (docs/departures.md).
 */
import { Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { Account, accountKey, mayHave, ownerOf } from "../../../src/domain/ledger/Account.ts"
import { debtChanges, debtKey } from "../../../src/domain/ledger/Debts.ts"
import { judgeTransaction } from "../../../src/domain/ledger/JudgeTransaction.ts"
import { LedgerRefused } from "../../../src/domain/ledger/LedgerRefused.ts"
import {
  currencyKey,
  postingKey,
  sameTransaction,
  Transaction,
  transaction
} from "../../../src/domain/ledger/Transaction.ts"
import type { Posting } from "../../../src/domain/ledger/Transaction.ts"
import { JsonText } from "../engine/Columns.ts"
import { readDebt, writeDebt } from "./DebtRows.ts"
import { storeCall } from "../StoreCall.ts"
import { noteBalance } from "../clients/WebhookOutbox.ts"
import { SignedText, ledgerDifferences } from "./LedgerDifferences.ts"

const TransactionJson = JsonText(Transaction)

const encodeTransaction = Schema.encodeEffect(TransactionJson)

const encodeAccount = Schema.encodeEffect(JsonText(Account))

const decodeKnown = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ content: TransactionJson })))

const decodeBalances = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ balance: SignedText })))

/** Which side of zero the account is kept on by the database. */
const sideOf = (account: Account): "above" | "below" => mayHave(account, 1n) ? "above" : "below"

export const layer = Layer.effect(
  Ledger,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** The balance of a posting's account, its row locked until the end of the transaction. */
    const lock = Effect.fnUntraced(function*({ account, currency }: Posting) {
      const row = {
        account: accountKey(account),
        chain_id: currency.chainId,
        currency: currency.address,
        side: sideOf(account),
        owner: ownerOf(account) ?? null,
        detail: yield* encodeAccount(account),
        balance: "0"
      }
      const rows = yield* sql`INSERT INTO ledger_accounts ${sql.insert(row)}
        ON CONFLICT (account, chain_id, currency) DO UPDATE SET side = ${row.side} RETURNING balance`
      const [held] = yield* decodeBalances(rows)
      return held?.balance ?? 0n
    })

    const write = Effect.fnUntraced(function*(made: Transaction, at: number) {
      // In the canonical order of their keys: two movements never wait for each other in a circle.
      const before = new Map<string, bigint>()
      for (const posting of made.postings) before.set(postingKey(posting), yield* lock(posting))
      // A debt changes with its sponsor's account, whose row is held by now.
      const owed = new Map<string, bigint>()
      for (const change of debtChanges(made) ?? []) owed.set(debtKey(change), yield* readDebt(sql, change))
      const judged = judgeTransaction(
        made,
        (account, currency) => before.get(`${accountKey(account)}@${currencyKey(currency)}`) ?? 0n,
        (parties) => owed.get(debtKey(parties)) ?? 0n
      )
      if (Result.isFailure(judged)) return yield* judged.failure
      yield* Effect.forEach(judged.success.debts, (debt) => writeDebt(sql, debt), { discard: true })
      for (const { balance, posting } of judged.success.balances) {
        const { account, currency, units } = posting
        const key = accountKey(account)
        yield* sql`INSERT INTO ledger_entries ${
          sql.insert({
            transaction_id: made.id,
            account: key,
            chain_id: currency.chainId,
            currency: currency.address,
            units: units.toString(),
            owner: ownerOf(account) ?? null,
            posted_at: at
          })
        }`
        yield* sql`UPDATE ledger_accounts SET balance = ${balance.toString()}
          WHERE account = ${key} AND chain_id = ${currency.chainId} AND currency = ${currency.address}`
        if (account._tag === "Wallet") {
          yield* noteBalance(sql, {
            movement: made.id,
            wallet: account.wallet,
            before: before.get(postingKey(posting)) ?? 0n,
            after: balance,
            at
          })
        }
      }
    })

    /** Undefined when the id is new and now taken; else what stands under it. */
    const claimId = Effect.fnUntraced(function*(made: Transaction, at: number) {
      const content = yield* encodeTransaction(made)
      const claimed = yield* sql`INSERT INTO ledger_transactions ${
        sql.insert({ id: made.id, kind: made.kind, content, posted_at: at })
      }
        ON CONFLICT (id) DO NOTHING RETURNING id`
      if (claimed.length > 0) return undefined
      const [known] = yield* decodeKnown(yield* sql`SELECT content FROM ledger_transactions WHERE id = ${made.id}`)
      return known?.content
    })

    const post: Ledger["Service"]["post"] = (given, at) => {
      const made = transaction(given.id, given.kind, given.postings)
      const posted = sql.withTransaction(Effect.gen(function*() {
        const known = yield* claimId(made, at)
        if (known === undefined) return yield* write(made, at)
        if (!sameTransaction(known, made)) return yield* new LedgerRefused({ id: made.id, reason: "duplicate-id" })
      }))
      // A refusal is an answer, not a failure of the store; by now it has taken back the transaction that it came out
      // of.
      return posted.pipe(
        Effect.catchTag("LedgerRefused", (refused) => Effect.succeed(refused)),
        storeCall("Ledger.post"),
        Effect.flatMap((refused) => refused instanceof LedgerRefused ? Effect.fail(refused) : Effect.void)
      )
    }

    const balanceOf: Ledger["Service"]["balanceOf"] = (account, { address, chainId }) =>
      sql`SELECT balance FROM ledger_accounts
          WHERE account = ${accountKey(account)} AND chain_id = ${chainId} AND currency = ${address}`.pipe(
        Effect.flatMap(decodeBalances),
        Effect.map(([row]) => row?.balance ?? 0n),
        storeCall("Ledger.balanceOf")
      )

    return Ledger.of({ post, balanceOf, ...ledgerDifferences(sql) })
  })
)
