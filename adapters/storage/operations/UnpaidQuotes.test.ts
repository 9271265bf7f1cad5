/** Only unpaid quotes are deleted, and completely; a concurrent deposit keeps its quote; on both engines. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { UnpaidQuotes } from "../../../ports/store/operations/UnpaidQuotes.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import * as SqlDepositAddresses from "../orders/DepositAddresses.ts"
import { layerMigrations } from "../engine/Migrations.ts"
import { migrations } from "../migrations/index.ts"
import written from "../migrations/testing/0003_money.json" with { type: "json" }
import { describeEngines } from "../testing/engines.ts"
import { addressTransfer } from "../testing/Transfers.ts"
import * as SqlTransferHistory from "../orders/TransferHistory.ts"
import * as SqlTransfers from "../orders/Transfers.ts"
import * as SqlUnpaidQuotes from "./UnpaidQuotes.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const request = (n: number) => RequestId.make(id(n))

const addressOf = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)

const sample = written.transfers.find(({ status }) => status === "waiting") ?? assert.fail("no unpaid quote")

/** A quote made at the time `n`; its order is `1000 + n`. */
const addQuote = Effect.fnUntraced(function*(n: number, changes: object = {}) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO transfers ${
    sql.insert({ ...sample, id: id(n), order_id: id(1000 + n), quoted_at: n, updated_at: n, ...changes })
  }`
  yield* sql`INSERT INTO transfer_events ${
    sql.insert({ transfer_id: id(n), sequence: 0, status: "waiting", fail_reason: null, at: n })
  }`
})

const addDeposit = (n: number, state: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`INSERT INTO deposits ${
      sql.insert({
        onchain_id: id(2000 + n),
        chain_id: 616101,
        transaction_id: id(3000 + n),
        deposit_id: id(1000 + n),
        deposit: "{}",
        block_hash: "0x",
        sighting: 1,
        state,
        seen_at: n
      })
    }`)

const addSend = (n: number, state: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`INSERT INTO sends ${
        sql.insert({ order_id: id(1000 + n), chain_id: 616101, quoted_at: n, state, transaction_id: null, block: null })
      }`
  )

describeEngines((_name, engine) => {
  const repositories = Layer.mergeAll(
    SqlUnpaidQuotes.layer,
    SqlDepositAddresses.layer,
    SqlTransfers.layer,
    SqlTransferHistory.layer
  ).pipe(
    Layer.provideMerge(layerMigrations(migrations)),
    Layer.provideMerge(engine)
  )

  it.live("lists old unpaid quotes in pages, oldest first, each once", () =>
    Effect.gen(function*() {
      const quotes = yield* UnpaidQuotes
      for (const n of [5, 3, 1, 4, 2, 9]) yield* addQuote(n)
      yield* addQuote(6, { quoted_at: 3 })
      yield* addQuote(7, { status: "success" })
      const first = yield* quotes.list(9, undefined, 3)
      const second = yield* quotes.list(9, first.at(-1), 3)
      const third = yield* quotes.list(9, second.at(-1), 3)
      assert.deepStrictEqual([first, second, third].map((page) => page.map((quote) => Number(quote.id))), [[1, 2, 3], [
        6,
        4,
        5
      ], []])
      assert.include(sample.order_json, `"deadline":${first[0]?.order.output.deadline}`)
    }).pipe(Effect.provide(repositories)))

  it.live("deletes an unpaid quote completely, and nothing of one for which anything was ever seen", () =>
    Effect.gen(function*() {
      const quotes = yield* UnpaidQuotes
      const transfers = yield* Transfers
      const sql = yield* SqlClient.SqlClient
      for (const n of [1, 2, 3, 4, 5, 6, 7]) yield* addQuote(n)
      yield* addDeposit(2, "open")
      yield* addDeposit(3, "gone")
      yield* addSend(4, "awaited")
      yield* addSend(5, "settled")
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
      assert.lengthOf(yield* sql`SELECT order_id FROM sends`, 1)
    }).pipe(Effect.provide(repositories)))

  it.live("deletes no quote while its permit is queued or done", () =>
    Effect.gen(function*() {
      const quotes = yield* UnpaidQuotes
      const sql = yield* SqlClient.SqlClient
      for (const [n, state] of [[1, "queued"], [2, "done"], [3, "void"]] as const) {
        yield* addQuote(n)
        yield* sql`INSERT INTO permit_submissions ${
          sql.insert({
            id: id(2000 + n),
            order_id: id(1000 + n),
            number: 0,
            chain_id: 616101,
            signature: "0x",
            state,
            round: 0,
            queued_at: n
          })
        }`
      }
      assert.strictEqual(yield* quotes.forget([1, 2, 3].map(request)), 1)
      assert.deepStrictEqual((yield* sql`SELECT id FROM transfers ORDER BY id`).map((row) => row["id"]), [id(1), id(2)])
    }).pipe(Effect.provide(repositories)))

  it.live("neither lists nor deletes a quote with a deposit address, and no other version of this program can", () =>
    Effect.gen(function*() {
      const quotes = yield* UnpaidQuotes
      const addresses = yield* DepositAddresses
      const transfers = yield* Transfers
      const sql = yield* SqlClient.SqlClient
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
        yield* sql`DELETE FROM transfer_events WHERE transfer_id = ${id(n)}`
        assert.strictEqual((yield* Effect.flip(sql`DELETE FROM transfers WHERE id = ${id(n)}`))._tag, "SqlError")
      }
      assert.strictEqual((yield* Effect.flip(sql`DELETE FROM deposit_addresses`))._tag, "SqlError")
    }).pipe(Effect.provide(repositories)))

  it.live("waits for a deposit that is being recorded, and keeps its quote", () =>
    Effect.gen(function*() {
      const quotes = yield* UnpaidQuotes
      const sql = yield* SqlClient.SqlClient
      yield* addQuote(1)
      yield* addQuote(2)
      const recording = yield* Effect.forkChild(
        sql.withTransaction(Effect.andThen(addDeposit(1, "open"), Effect.sleep("300 millis")))
      )
      yield* Effect.sleep("100 millis")
      assert.strictEqual(yield* quotes.forget([1, 2].map(request)), 1)
      yield* Fiber.join(recording)
      assert.isDefined(yield* (yield* Transfers).find(request(1)))
    }).pipe(Effect.provide(repositories)))
})
