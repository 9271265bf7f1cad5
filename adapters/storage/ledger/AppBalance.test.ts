/** Credits, balances of an owner and their history, on both engines. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { AppBalances } from "../../../ports/store/ledger/AppBalances.ts"
import { Credits } from "../../../ports/store/ledger/Credits.ts"
import type { Arrival } from "../../../ports/store/ledger/Credits.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { creditId } from "../../../src/domain/ledger/LedgerIds.ts"
import { accrueAppFees, credit, hold, release } from "../../../src/domain/ledger/Movements.ts"
import { LedgerId } from "../../../src/domain/ledger/Transaction.ts"
import type { LedgerCurrency, Transaction } from "../../../src/domain/ledger/Transaction.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import * as SqlAppBalances from "./AppBalances.ts"
import { layerMigrations } from "../engine/Migrations.ts"
import { migrations } from "../migrations/index.ts"
import { describeEngines } from "../testing/engines.ts"
import { describeStores } from "../testing/stores.ts"

const address = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const hash = (n: number) => TransactionId.make(`0x${n.toString(16).padStart(64, "0")}`)
const beta = ChainId.make(616102)
const currency: LedgerCurrency = {
  chainId: beta,
  address: CurrencyAddress.make("0x00000000000000000000000000000000000000c1")
}
const native: LedgerCurrency = { chainId: ChainId.make(616101), address: CurrencyAddress.make(`0x${"0".repeat(40)}`) }
const request = RequestId.make(`0x${"1".repeat(64)}`)
const made = (result: Result.Result<Transaction, unknown>): Transaction => Result.getOrThrow(result)
const walletOf = (n: number) => ({ _tag: "Wallet", wallet: address(n) } as const)

const credited = (n: number, wallet: number, amount: bigint, logIndex = 0): Arrival => ({
  transactionId: hash(n),
  sender: address(9),
  block: { height: BigInt(n), hash: `0xb${n}`, time: n },
  amount,
  outcome: {
    _tag: "Credited",
    wallet: address(wallet),
    movement: made(
      credit({
        id: creditId({ chainId: beta, transactionId: hash(n), logIndex }),
        currency,
        wallet: address(wallet),
        units: amount
      })
    )
  }
})

describeStores(({ test }) => {
  test(
    "credits a transaction once, however often and wherever it is seen, and moves the cursor with it",
    Effect.gen(function*() {
      const credits = yield* Credits
      const ledger = yield* Ledger
      yield* credits.anchor(beta, { height: 5n, hash: "0xb5" })
      yield* credits.anchor(beta, { height: 6n, hash: "0xb6" })
      assert.deepStrictEqual(yield* credits.cursor(beta), { height: 5n, hash: "0xb5" })
      const listed: Arrival = { ...credited(2, 1, 7n), outcome: { _tag: "NotCredited", reason: "reverted" } }
      const arrivals = [credited(1, 1, 5n), listed, credited(3, 2, 2n ** 200n)]
      const record = (height: bigint) =>
        credits.record(beta, { height, hash: `0xb${height}` }, arrivals, 1).pipe(Effect.retry({ times: 50 }))
      const fresh = yield* Effect.forEach([7n, 8n, 9n], record, { concurrency: "unbounded" })
      assert.deepStrictEqual(fresh.map((all) => all.length).toSorted((a, b) => a - b), [0, 0, 3])
      assert.lengthOf(yield* credits.record(beta, { height: 10n, hash: "0xb10" }, [credited(1, 1, 5n, 3)], 2), 0)
      assert.deepStrictEqual(yield* credits.cursor(beta), { height: 10n, hash: "0xb10" })
      assert.strictEqual(yield* ledger.balanceOf(walletOf(1), currency), 5n)
      assert.strictEqual(yield* ledger.balanceOf(walletOf(2), currency), 2n ** 200n)
      assert.deepStrictEqual(
        (yield* credits.list(beta)).map(({ amount, reason, transactionId, wallet }) => ({
          amount,
          reason,
          transactionId,
          wallet
        })),
        [
          { transactionId: hash(1), amount: 5n, wallet: address(1), reason: undefined },
          { transactionId: hash(2), amount: 7n, wallet: undefined, reason: "reverted" },
          { transactionId: hash(3), amount: 2n ** 200n, wallet: address(2), reason: undefined }
        ]
      )
      assert.lengthOf(yield* ledger.differences, 0)
    })
  )

  test(
    "shows every non-zero account of an owner, and its movements page by page, newest first",
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const balances = yield* AppBalances
      const open = { id: LedgerId.make("h"), currency, wallet: address(1), request, held: 40n }
      yield* ledger.post(made(credit({ id: LedgerId.make("c1"), currency, wallet: address(1), units: 100n })), 1)
      yield* ledger.post(made(credit({ id: LedgerId.make("c2"), currency, wallet: address(2), units: 50n })), 2)
      yield* ledger.post(made(hold(open)), 3)
      yield* ledger.post(
        made(
          accrueAppFees({
            id: LedgerId.make("a"),
            currency: native,
            shares: [{ recipient: address(1), units: 9n }, { recipient: address(2), units: 1n }]
          })
        ),
        3
      )
      const accounts = yield* balances.accountsOf(address(1))
      assert.deepStrictEqual(
        accounts.map(({ account: { _tag }, currency: { chainId }, units }) => [_tag, chainId, units]),
        [
          ["AppFeePayable", native.chainId, 9n],
          ["Hold", beta, 40n],
          ["Wallet", beta, 60n]
        ]
      )
      const page = (before: { readonly at: number; readonly id: LedgerId } | undefined) =>
        balances.movementsOf(address(1), { before, limit: 2 })
      const first = yield* page(undefined)
      assert.deepStrictEqual(first.map(({ at, transaction: { id } }) => [id, at]), [["h", 3], ["a", 3]])
      const second = yield* page({ at: 3, id: LedgerId.make("a") })
      assert.deepStrictEqual(second.map(({ transaction: { id } }) => id), ["c1"])
      yield* ledger.post(made(release({ ...open, id: LedgerId.make("r") })), 4)
      assert.deepStrictEqual(
        (yield* balances.accountsOf(address(1))).map(({ account: { _tag }, units }) => [_tag, units]),
        [["AppFeePayable", 9n], ["Wallet", 100n]]
      )
      assert.lengthOf(yield* balances.accountsOf(address(3)), 0)
    })
  )
})

describeEngines((_name, engine) => {
  it.live("migrates a store of the previous version: the owner of all app fees is known", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Layer.build(
        layerMigrations(Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0011")))
      )
      const booked = made(
        accrueAppFees({ id: LedgerId.make("a"), currency: native, shares: [{ recipient: address(1), units: 9n }] })
      )
      const entry = { chain_id: native.chainId, currency: native.address }
      yield* sql`INSERT INTO ledger_transactions ${
        sql.insert({
          id: "a",
          kind: "accrue",
          posted_at: 7,
          content: JSON.stringify({
            ...booked,
            postings: booked.postings.map((posting) => ({ ...posting, units: `${posting.units}` }))
          })
        })
      }`
      for (
        const [account, tag, units, side] of [[`AppFeePayable:${address(1)}`, "AppFeePayable", "9", "above"], [
          "External",
          "External",
          "-9",
          "below"
        ]] as const
      ) {
        const detail = JSON.stringify(tag === "External" ? { _tag: tag } : { _tag: tag, recipient: address(1) })
        yield* sql`INSERT INTO ledger_accounts ${sql.insert({ account, ...entry, side, detail, balance: units })}`
        yield* sql`INSERT INTO ledger_entries ${sql.insert({ transaction_id: "a", account, ...entry, units })}`
      }
      yield* Layer.build(layerMigrations(migrations))
      const balances = yield* AppBalances
      assert.deepStrictEqual((yield* balances.accountsOf(address(1))).map(({ units }) => units), [9n])
      assert.deepStrictEqual(
        (yield* balances.movementsOf(address(1), { before: undefined, limit: 5 })).map((
          { at, transaction: { id } }
        ) => [id, at]),
        [["a", 7]]
      )
    }).pipe(Effect.scoped, Effect.provide(SqlAppBalances.layer.pipe(Layer.provideMerge(engine)))))
})
