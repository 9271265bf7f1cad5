import { assert } from "@effect/vitest"
import { Effect, Exit, Result } from "effect"
import * as fc from "fast-check"
import { SqlClient } from "effect/sql"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { balanceOf, emptyLedger, post } from "../../../src/domain/ledger/Ledger.ts"
import { Account } from "../../../src/domain/ledger/Account.ts"
import { accrueAppFees, claim, credit, hold } from "../../../src/domain/ledger/Movements.ts"
import { LedgerId, transaction } from "../../../src/domain/ledger/Transaction.ts"
import type { LedgerCurrency, Transaction } from "../../../src/domain/ledger/Transaction.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { describeStores } from "../testing/stores.ts"

const address = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const requestOf = (n: number) => RequestId.make(`0x${n.toString(16).padStart(64, "0")}`)
const currency: LedgerCurrency = {
  chainId: ChainId.make(616102),
  address: CurrencyAddress.make("0x00000000000000000000000000000000000000c1")
}
const id = (text: string) => LedgerId.make(text)
const made = (result: Result.Result<Transaction, unknown>): Transaction => Result.getOrThrow(result)
const { AppFeePayable, External, Wallet } = Account.cases
const walletOf = (n: number) => Wallet.make({ wallet: address(n) })

const accounts: ReadonlyArray<Account> = [
  External.make({}),
  walletOf(1),
  walletOf(2),
  AppFeePayable.make({ recipient: address(3) })
]
const movement: fc.Arbitrary<Transaction> = fc.tuple(
  fc.nat({ max: 25 }),
  fc.constantFrom(...accounts),
  fc.constantFrom(...accounts),
  fc.bigInt({ min: -9n, max: 9n }),
  fc.constantFrom(1n, 2n ** 200n)
).map(([n, to, from, units, scale]) =>
  transaction(id(`any:${n}`), "credit", [{ account: to, currency, units: units * scale }, {
    account: from,
    currency,
    units: -units * scale
  }])
)

describeStores(({ test, testOnTables }) => {
  test(
    "accepts, refuses and sums like the domain's ledger, movement by movement",
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const history = fc.sample(movement, { numRuns: 300, seed: 7 })
      let model = emptyLedger
      for (const each of history) {
        const wanted = post(model, each)
        const outcome = yield* Effect.exit(ledger.post(each, 1))
        assert.strictEqual(Exit.isSuccess(outcome), Result.isSuccess(wanted))
        if (Result.isSuccess(wanted)) model = wanted.success
        if (Result.isFailure(wanted)) {
          assert.strictEqual(
            yield* Effect.flip(ledger.post(each, 1)).pipe(
              Effect.map((error) => error._tag === "LedgerRefused" ? error.reason : error._tag)
            ),
            wanted.failure.reason
          )
        }
      }
      for (const account of accounts) {
        assert.strictEqual(yield* ledger.balanceOf(account, currency), balanceOf(model, account, currency))
      }
      assert.lengthOf(yield* ledger.differences, 0)
    })
  )

  test(
    "never lets 64 concurrent spenders take more than there is, and holds one request once",
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const wallet = address(1)
      yield* ledger.post(made(credit({ id: id("c"), currency, wallet, units: 100n })), 1)
      const spend = (n: number) =>
        ledger.post(made(hold({ id: id(`h:${n % 40}`), currency, wallet, request: requestOf(n % 40), held: 7n })), 1)
          .pipe(
            Effect.retry({ times: 100, while: (error) => error._tag === "StoreUnavailable" }),
            Effect.exit
          )
      const outcomes = yield* Effect.forEach(Array.from({ length: 64 }, (_, n) => n), spend, {
        concurrency: "unbounded"
      })
      const left = yield* ledger.balanceOf(walletOf(1), currency)
      assert.strictEqual(left, 100n - 14n * 7n)
      assert.isAtLeast(outcomes.filter(Exit.isSuccess).length, 14)
      assert.lengthOf(yield* ledger.differences, 0)
    })
  )

  test(
    "keeps app fees of any size for each recipient, and pays out no more",
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const shares = [{ recipient: address(3), units: 2n ** 255n }, { recipient: address(4), units: 1n }, {
        recipient: address(5),
        units: 0n
      }]
      const accrual = made(accrueAppFees({ id: id("a"), currency, shares }))
      yield* ledger.post(accrual, 1)
      yield* ledger.post(accrual, 2)
      const payable = AppFeePayable.make({ recipient: address(3) })
      assert.strictEqual(yield* ledger.balanceOf(payable, currency), 2n ** 255n)
      const refused = yield* Effect.flip(
        ledger.post(
          made(
            claim({ id: id("x"), currency, wallet: address(4), payout: Hex32.make(`0x${"1".repeat(64)}`), units: 2n })
          ),
          1
        )
      )
      assert.strictEqual(refused._tag, "LedgerRefused")
      const other = yield* Effect.flip(
        ledger.post(made(credit({ id: id("a"), currency, wallet: address(3), units: 1n })), 1)
      )
      assert.deepStrictEqual(other._tag === "LedgerRefused" ? other.reason : "", "duplicate-id")
    })
  )

  testOnTables(
    "is guarded by the database itself, and shows what was changed behind its back",
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const sql = yield* SqlClient.SqlClient
      yield* ledger.post(made(credit({ id: id("c"), currency, wallet: address(1), units: 5n })), 1)
      const below = yield* Effect.exit(sql`UPDATE ledger_accounts SET balance = '-1' WHERE side = 'above'`)
      assert.isTrue(Exit.isFailure(below))
      yield* sql`UPDATE ledger_accounts SET balance = '6' WHERE side = 'above'`
      const [difference, ...others] = yield* ledger.differences
      assert.lengthOf(others, 0)
      assert.deepStrictEqual([difference?.kept, difference?.summed], [6n, 5n])
    })
  )
})
