/**
 * What sponsors owe to recipients of app fees, on both engines: stored with the ledger, paid once, and never more than
 * is owed or available.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { AppBalances } from "../../../ports/store/ledger/AppBalances.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { signedMovementId, sponsorMovementId } from "../../../src/domain/ledger/LedgerIds.ts"
import { bookReceivable, credit, settleReceivable } from "../../../src/domain/ledger/Movements.ts"
import { LedgerId } from "../../../src/domain/ledger/Transaction.ts"
import type { LedgerCurrency, Transaction } from "../../../src/domain/ledger/Transaction.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import * as SqlAppBalances from "./AppBalances.ts"
import { migrate } from "../engine/Migrations.ts"
import * as SqlLedger from "./Ledger.ts"
import { migrations } from "../migrations/index.ts"
import { describeEngines } from "../testing/engines.ts"
import { describeStores } from "../testing/stores.ts"

const address = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const [sponsor, other, one, two] = [address(1), address(2), address(3), address(4)]
const currency: LedgerCurrency = {
  chainId: ChainId.make(616102),
  address: CurrencyAddress.make("0x00000000000000000000000000000000000000c1")
}
const made = (result: Result.Result<Transaction, unknown>): Transaction => Result.getOrThrow(result)

const booked = (n: number, wallet: Address, shares: ReadonlyArray<readonly [Address, bigint]>): Transaction =>
  made(bookReceivable({
    id: sponsorMovementId("receivable", RequestId.make(`0x${n.toString(16).padStart(64, "0")}`), 0),
    currency,
    wallet,
    shares: shares.map(([recipient, units]) => ({ recipient, units }))
  }))

const paying = (nonce: number, recipient: Address, units: bigint): Transaction =>
  made(
    settleReceivable({
      id: signedMovementId("settle", sponsor, BigInt(nonce)),
      currency,
      wallet: sponsor,
      shares: [{ recipient, units }]
    })
  )

const booking = Effect.gen(function*() {
  const ledger = yield* Ledger
  yield* ledger.post(made(credit({ id: LedgerId.make("credit"), currency, wallet: sponsor, units: 100n })), 1)
  yield* ledger.post(booked(1, sponsor, [[one, 30n], [two, 70n]]), 2)
  yield* ledger.post(booked(2, sponsor, [[one, 10n]]), 3)
  yield* ledger.post(booked(3, other, [[one, 500n]]), 4)
})

const owed = Effect.fnUntraced(function*(wallet: Address) {
  const { debtsOf } = yield* AppBalances
  return (yield* debtsOf(wallet)).map(({ recipient, units }) => [recipient, units] as const)
})

describeStores(({ test, testOnTables }) => {
  test(
    "are bookings less payments, for each pair separately; one that is paid is none",
    Effect.gen(function*() {
      yield* booking
      const ledger = yield* Ledger
      const { movement } = yield* AppBalances
      const reasonOf = (transaction: Transaction) =>
        Effect.map(
          Effect.flip(ledger.post(transaction, 9)),
          (error) => error._tag === "LedgerRefused" ? error.reason : error._tag
        )
      assert.deepStrictEqual([yield* owed(sponsor), yield* owed(other)], [[[one, 40n], [two, 70n]], [[one, 500n]]])
      assert.strictEqual(yield* reasonOf(paying(1, one, 41n)), "not-owed")
      assert.isUndefined(yield* movement(paying(1, one, 41n).id))
      yield* ledger.post(paying(1, one, 25n), 5)
      yield* ledger.post(paying(1, one, 25n), 6)
      assert.strictEqual(yield* reasonOf(paying(1, one, 15n)), "duplicate-id")
      assert.deepStrictEqual(yield* movement(paying(1, one, 25n).id), { transaction: paying(1, one, 25n), at: 5 })
      yield* ledger.post(paying(2, one, 15n), 7)
      assert.deepStrictEqual([yield* owed(sponsor), yield* owed(other)], [[[two, 70n]], [[one, 500n]]])
      assert.strictEqual(yield* reasonOf(paying(3, two, 61n)), "overdraft")
      assert.strictEqual(yield* ledger.balanceOf({ _tag: "AppFeePayable", recipient: one }, currency), 40n)
      assert.strictEqual(yield* ledger.balanceOf({ _tag: "Wallet", wallet: sponsor }, currency), 60n)
      assert.lengthOf(yield* ledger.differences, 0)
    })
  )

  test(
    "are paid only as far as they are owed and there is money, under concurrency",
    Effect.gen(function*() {
      yield* booking
      const ledger = yield* Ledger
      const pay = (n: number) =>
        ledger.post(paying(n, n % 2 === 0 ? one : two, 7n), 9).pipe(
          Effect.retry({ times: 200, while: ({ _tag }) => _tag === "StoreUnavailable" }),
          Effect.match({
            onSuccess: () => "paid",
            onFailure: (error) => error._tag === "LedgerRefused" ? error.reason : error._tag
          })
        )
      const outcomes = yield* Effect.forEach(Array.from({ length: 40 }, (_, n) => n), pay, { concurrency: "unbounded" })
      // 40 and 70 are owed and 100 are available: five payments of 7 fit the first debt, and the balance allows 14 in
      // total.
      const paid = outcomes.filter((outcome) => outcome === "paid").length
      assert.strictEqual(paid, 14)
      assert.deepStrictEqual(
        outcomes.filter((outcome) => outcome !== "paid" && outcome !== "not-owed" && outcome !== "overdraft"),
        []
      )
      const left = new Map(yield* owed(sponsor))
      assert.isTrue([...left.values()].every((units) => units >= 0n))
      assert.strictEqual([...left.values()].reduce((sum, units) => sum + units, 0n), 110n - 98n)
      assert.deepStrictEqual(yield* owed(other), [[one, 500n]])
      const claimable = (yield* ledger.balanceOf({ _tag: "AppFeePayable", recipient: one }, currency)) +
        (yield* ledger.balanceOf({ _tag: "AppFeePayable", recipient: two }, currency))
      assert.strictEqual(claimable + (yield* ledger.balanceOf({ _tag: "Wallet", wallet: sponsor }, currency)), 100n)
      assert.lengthOf(yield* ledger.differences, 0)
    })
  )

  testOnTables(
    "that differ from the entries are named",
    Effect.gen(function*() {
      yield* booking
      const ledger = yield* Ledger
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE debts SET units = '41' WHERE wallet = ${sponsor} AND recipient = ${one}`
      assert.deepStrictEqual(yield* ledger.differences, [{
        account: `Debt:${sponsor}>${one}`,
        currency,
        kept: 41n,
        summed: 40n
      }])
    })
  )
})

const stores = SqlAppBalances.layer.pipe(Layer.provideMerge(SqlLedger.layer))

describeEngines((_name, engine) => {
  it.live("of a store from before they were stored are computed from its entries", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const known = Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= "0014_debts"))
      yield* migrate(known)
      yield* booking.pipe(Effect.provide(stores))
      // As the previous version left it: the entries, and no table of debts.
      yield* sql`DROP TABLE debts`
      yield* sql`DELETE FROM causeway_migrations WHERE name = 'debts'`
      assert.lengthOf(yield* migrate(known), 1)
      assert.deepStrictEqual(yield* owed(sponsor).pipe(Effect.provide(stores)), [[one, 40n], [two, 70n]])
      assert.deepStrictEqual(
        yield* Effect.flatMap(Ledger, (ledger) => ledger.differences).pipe(Effect.provide(stores)),
        []
      )
    }).pipe(Effect.provide(engine)))
})
