/** Only unpaid quotes are deleted, and completely; a concurrent deposit keeps its quote; on both engines. */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import { PermitSubmissions } from "../../../ports/store/orders/PermitSubmissions.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { UnpaidQuotes } from "../../../ports/store/operations/UnpaidQuotes.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { describeStores } from "../testing/stores.ts"
import { named } from "../testing/Named.ts"
import { addressTransfer, transferOf } from "../testing/Transfers.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const alpha = ChainId.make(616101)
const request = (n: number) => RequestId.make(id(n))

const addressOf = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)

const orderOf = (n: number) => OrderId.make(id(1000 + n))

/** A quote made at the time `n`; its order is `1000 + n`. */
const addQuote = Effect.fnUntraced(function*(n: number, quotedAt: number = n, terms: { readonly send?: true } = {}) {
  const transfer = transferOf(n, { quotedAt })
  yield* (yield* Transfers).add({ ...transfer, orderId: orderOf(n), terms: { ...transfer.terms, ...terms } })
})

const depositOf = (n: number): Deposit => ({
  onchainId: Hex32.make(id(2000 + n)),
  chainId: alpha,
  transactionId: TransactionId.make(id(3000 + n)),
  index: 0,
  block: { height: 1n, hash: "0x1", time: 1 },
  depositId: orderOf(n),
  depositor: addressOf(9),
  sender: addressOf(9),
  currency: CurrencyAddress.make(addressOf(0)),
  amount: 1n
})

describeStores(({ test, testOnTables }) => {
  test(
    "lists old unpaid quotes in pages, oldest first, each once",
    Effect.gen(function*() {
      const quotes = yield* UnpaidQuotes
      for (const n of [5, 3, 1, 4, 2, 9]) yield* addQuote(n)
      yield* addQuote(6, 3)
      yield* addQuote(7)
      yield* (yield* Transfers).move(request(7), { to: "failure", at: 8 })
      const first = yield* quotes.list(9, undefined, 3)
      const second = yield* quotes.list(9, first.at(-1), 3)
      const third = yield* quotes.list(9, second.at(-1), 3)
      assert.deepStrictEqual([first, second, third].map((page) => page.map((quote) => Number(quote.id))), [[1, 2, 3], [
        6,
        4,
        5
      ], []])
      assert.deepStrictEqual(first[0]?.order, transferOf(1, {}).order)
    })
  )

  test(
    "deletes an unpaid quote completely, and nothing of one for which anything was ever seen",
    Effect.gen(function*() {
      const quotes = yield* UnpaidQuotes
      const transfers = yield* Transfers
      const [deposits, directPayments] = [yield* Deposits, yield* DirectPayments]
      for (const n of [1, 2, 3, 4, 5, 6, 7]) yield* addQuote(n, n, n === 4 || n === 5 ? { send: true } : {})
      yield* deposits.note(named([depositOf(2), depositOf(3)]), 9)
      yield* deposits.close(depositOf(3).onchainId, 1, "gone", 9)
      const { block, transactionId } = depositOf(5)
      yield* directPayments.note({ orderId: orderOf(5), transactionId, block })
      yield* directPayments.settle(orderOf(5))
      yield* transfers.move(request(6), { to: "depositing", at: 10 })
      assert.strictEqual(yield* quotes.forget([1, 2, 3, 4, 5, 6, 99].map(request)), 2)
      assert.strictEqual(yield* quotes.forget([1, 2, 3, 4, 5, 6].map(request)), 0)
      assert.strictEqual(yield* quotes.forget([]), 0)
      const left = yield* Effect.forEach(
        [1, 2, 3, 4, 5, 6, 7],
        (n) => Effect.map(transfers.find(request(n)), (found) => found !== undefined)
      )
      assert.deepStrictEqual(left, [false, true, true, false, true, true, true])
      assert.deepStrictEqual(yield* (yield* TransferHistory).eventsAfter(request(1), -1), [])
      // Nobody waits for its payment any more.
      yield* directPayments.note({ orderId: orderOf(4), transactionId, block })
      assert.isUndefined(yield* directPayments.find(orderOf(4)))
      assert.isDefined(yield* directPayments.find(orderOf(5)))
    })
  )

  test(
    "deletes no quote while its permit is queued or done",
    Effect.gen(function*() {
      const quotes = yield* UnpaidQuotes
      const [permits, transfers] = [yield* PermitSubmissions, yield* Transfers]
      for (const [n, state] of [[1, "queued"], [2, "done"], [3, "void"]] as const) {
        yield* addQuote(n)
        const submission = {
          id: Hex32.make(id(2000 + n)),
          orderId: orderOf(n),
          number: 0,
          chainId: alpha,
          signature: Hex.make("0x"),
          owner: addressOf(n),
          reservedMicros: 1n,
          queuedAt: n
        }
        assert.strictEqual(yield* permits.queue(submission, 100n), "queued")
        if (state !== "queued") yield* permits.close(submission.id, 0, state, n)
      }
      assert.strictEqual(yield* quotes.forget([1, 2, 3].map(request)), 1)
      const left = yield* Effect.forEach([1, 2, 3], (n) => transfers.find(request(n)))
      assert.deepStrictEqual(left.map((found) => found !== undefined), [true, true, false])
    })
  )

  test(
    "neither lists nor deletes a quote with a deposit address, and no other version of this program can",
    Effect.gen(function*() {
      const quotes = yield* UnpaidQuotes
      const addresses = yield* DepositAddresses
      const transfers = yield* Transfers
      yield* addQuote(1)
      for (const [n, mode] of [[2, "strict"], [3, "open"]] as const) {
        yield* transfers.add(addressTransfer(n, { address: addressOf(n), mode, depositor: addressOf(9) }))
      }
      yield* transfers.add(
        addressTransfer(4, { address: addressOf(3), mode: "open", depositor: addressOf(9) }, {
          originChainId: ChainId.make(616102)
        })
      )
      assert.deepStrictEqual((yield* quotes.list(10_000, undefined, 9)).map((quote) => Number(quote.id)), [1])
      assert.strictEqual(yield* quotes.forget([1, 2, 3, 4].map(request)), 1)
      for (const n of [2, 3, 4]) {
        assert.strictEqual((yield* transfers.find(request(n)))?.status, "waiting")
        assert.strictEqual((yield* addresses.findByRequest(request(n)))?.address, addressOf(Math.min(n, 3)))
      }
    })
  )

  testOnTables(
    "lets no version of this program delete a quote with a deposit address, nor the address",
    Effect.gen(function*() {
      const [sql, transfers] = [yield* SqlClient.SqlClient, yield* Transfers]
      yield* transfers.add(addressTransfer(2, { address: addressOf(2), mode: "open", depositor: addressOf(9) }))
      yield* sql`DELETE FROM transfer_events`
      assert.strictEqual((yield* Effect.flip(sql`DELETE FROM transfers`))._tag, "SqlError")
      assert.strictEqual((yield* Effect.flip(sql`DELETE FROM deposit_addresses`))._tag, "SqlError")
    })
  )

  testOnTables(
    "waits for a deposit that is being recorded, and keeps its quote",
    Effect.gen(function*() {
      const quotes = yield* UnpaidQuotes
      const sql = yield* SqlClient.SqlClient
      yield* addQuote(1)
      yield* addQuote(2)
      const noted = yield* Deferred.make<void>()
      const recording = yield* Effect.forkChild(
        sql.withTransaction(
          (yield* Deposits).note(named([depositOf(1)]), 9).pipe(
            Effect.andThen(Deferred.succeed(noted, undefined)),
            Effect.andThen(Effect.sleep("300 millis"))
          )
        )
      )
      yield* Deferred.await(noted)
      assert.strictEqual(yield* quotes.forget([1, 2].map(request)), 1)
      yield* Fiber.join(recording)
      assert.isDefined(yield* (yield* Transfers).find(request(1)))
    })
  )
})
