/**
 * A store of every released version is migrated: its rows, as that version wrote them, are read by today's
 * repositories.
 *
 * `testing/<migration>.json` holds the rows of a store written by a host for which that migration was the last one (for
 * the first migration, by a host of the second): an unpaid quote, one that was filled, one that was refunded, and what
 * else there was; in the first two, a refund in flight. Today's code never rewrites them, which would hide what it can
 * no longer read. A migration without rows of its own is passed on the way from the last one that has some.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { IdempotentAnswers } from "../../../ports/store/clients/IdempotentAnswers.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { PermitSubmissions } from "../../../ports/store/orders/PermitSubmissions.ts"
import { InventoryReservations } from "../../../ports/store/orders/InventoryReservations.ts"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import * as SqlDeposits from "../orders/Deposits.ts"
import { migrate } from "../engine/Migrations.ts"
import * as SqlIdempotentAnswers from "../clients/IdempotentAnswers.ts"
import * as SqlLedger from "../ledger/Ledger.ts"
import * as SqlNonceMappings from "../clients/NonceMappings.ts"
import * as SqlPauses from "../operations/Pauses.ts"
import * as SqlPayments from "../orders/Payments.ts"
import * as SqlPermitSubmissions from "../orders/PermitSubmissions.ts"
import * as SqlInventoryReservations from "../orders/InventoryReservations.ts"
import * as SqlDirectPayments from "../orders/DirectPayments.ts"
import { describeEngines } from "../testing/engines.ts"
import * as SqlTransferHistory from "../orders/TransferHistory.ts"
import * as SqlTransfers from "../orders/Transfers.ts"
import { migrations } from "./index.ts"

const Cell = Schema.NullOr(Schema.Union([Schema.String, Schema.Finite]))
const Rows = Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Cell)))
type Rows = typeof Rows.Type

const folder = join(import.meta.dirname, "testing")

/** The migrations that have rows of their own, from the first. */
const writers = readdirSync(folder).toSorted().map((file) => file.slice(0, -".json".length))

const rowsOf = (writer: string): Rows =>
  Schema.decodeUnknownSync(Rows)(JSON.parse(readFileSync(join(folder, `${writer}.json`), "utf8")))

const text = (row: Rows[string][number] | undefined, column: string): string => String(row?.[column])

const orderIdOf = (row: Rows[string][number]) => Schema.decodeUnknownSync(OrderId)(row["order_id"])
const requestIdOf = (row: Rows[string][number]) => Schema.decodeUnknownSync(RequestId)(row["id"])

const repositories = Layer.mergeAll(
  SqlDeposits.layer,
  SqlIdempotentAnswers.layer,
  SqlLedger.layer,
  SqlNonceMappings.layer,
  SqlPauses.layer,
  SqlPayments.layer,
  SqlPermitSubmissions.layer,
  SqlInventoryReservations.layer,
  SqlDirectPayments.layer,
  SqlTransferHistory.layer,
  SqlTransfers.layer
)

/** Everything that the store held is found again, and can be continued. */
const readAll = Effect.fnUntraced(function*(rows: Rows) {
  const transfers = yield* Transfers
  const history = yield* TransferHistory
  const states: Array<string> = []
  for (const row of rows["transfers"] ?? []) {
    const order = orderIdOf(row)
    const found = yield* transfers.find(requestIdOf(row))
    assert.deepStrictEqual(found?.orderId, order)
    assert.deepStrictEqual(yield* transfers.findByOrder(order), found)
    if (found === undefined) continue
    states.push(found.status)
    const events = yield* history.eventsAfter(found.id, -1)
    assert.lengthOf(
      events,
      (rows["transfer_events"] ?? []).filter(({ transfer_id }) => transfer_id === found.id).length
    )
    const deposits = yield* history.deposits(order)
    assert.lengthOf(deposits, (rows["deposits"] ?? []).filter(({ deposit_id }) => deposit_id === order).length)
    for (const { deposit } of deposits) {
      assert.deepStrictEqual((yield* (yield* Deposits).find(deposit.onchainId))?.deposit, deposit)
    }
    for (const { leg, onchainId, transactionId } of yield* history.payments(order)) {
      const payment = yield* (yield* Payments).find(order, leg)
      assert.strictEqual(payment?.transactionId, transactionId)
      // What its deposit had is known of every payment for a deposit (REFUND-8).
      const paidFor = yield* (yield* Deposits).find(onchainId)
      assert.strictEqual(payment?.deposited, paidFor?.deposit.amount)
      assert.deepStrictEqual(yield* history.ofTransactions([transactionId]), [found.id])
    }
    if (found.status === "waiting") {
      assert.isTrue(yield* transfers.move(found.id, { to: "depositing", at: found.updatedAt + 1 }))
    }
  }
  assert.include(states, "waiting")
  assert.include(states, "success")
  assert.include(states, "refund")
  for (const row of rows["cursors"] ?? []) {
    assert.strictEqual(
      `${(yield* (yield* Deposits).cursor(ChainId.make(Number(row["chain_id"]))))?.height}`,
      row["height"]
    )
  }
  assert.lengthOf(yield* (yield* Pauses).all, (rows["pauses"] ?? []).length)
  for (const row of rows["idempotent_answers"] ?? []) {
    const slot = { scope: text(row, "scope"), key: text(row, "idempotency_key") }
    const claim = yield* (yield* IdempotentAnswers).claim(slot, text(row, "body_hash"), Number(row["claimed_at"]) + 1)
    assert.strictEqual(claim._tag, "Answered")
  }
  assert.deepStrictEqual(yield* (yield* Ledger).differences, [])
  for (const row of rows["sends"] ?? []) assert.isUndefined(yield* (yield* DirectPayments).find(orderIdOf(row)))
  for (const row of rows["permit_submissions"] ?? []) {
    const permits = yield* PermitSubmissions
    assert.strictEqual((yield* permits.newest(orderIdOf(row)))?.state, text(row, "state"))
    assert.strictEqual(yield* permits.reverted(orderIdOf(row)), 0)
  }
  for (const row of rows["nonce_mappings"] ?? []) {
    const kept = yield* (yield* NonceMappings).find(
      ChainSlug.make(text(row, "chain")),
      Address.make(text(row, "wallet")),
      BigInt(text(row, "nonce"))
    )
    assert.strictEqual(kept?.id, text(row, "order_id"))
  }
  const [promised] = rows["promises"] ?? []
  const native = CurrencyAddress.make(`0x${"0".repeat(40)}`)
  assert.strictEqual(
    (yield* (yield* InventoryReservations).claims({
      chainId: ChainId.make(616102),
      currency: native,
      holding: "account"
    })).promised,
    BigInt(promised === undefined ? 0 : text(promised, "amount"))
  )
})

/** The possible cost of a payment in flight stays reserved, in whichever column the old version had it. */
const readReserved = Effect.fnUntraced(function*(rows: Rows) {
  const sql = yield* SqlClient.SqlClient
  for (const payment of (rows["payments"] ?? []).filter(({ state }) => state === "sent")) {
    const costs = yield* sql`SELECT holder, amount FROM payment_costs WHERE transaction_id = ${
      text(payment, "transaction_id")
    }`
    assert.deepStrictEqual(costs.map((row) => ({ ...row })), [{
      holder: text(payment, "account"),
      amount: text(payment, "native_cost")
    }])
  }
})

/** Requests of keys, and what was captured for them, are counted that were made before there were counts. */
const readCounts = Effect.fnUntraced(function*(rows: Rows) {
  const sql = yield* SqlClient.SqlClient
  const keyed = (rows["transfers"] ?? []).filter(({ api_key_id }) => typeof api_key_id === "string")
  const captures = (rows["ledger_entries"] ?? []).filter(({ account, transaction_id }) =>
    account === "Revenue" && String(transaction_id).startsWith("capture:") &&
    keyed.some(({ id }) => String(transaction_id).includes(String(id)))
  )
  const [counted] = yield* sql`SELECT COALESCE(SUM(requests), 0) AS requests, COALESCE(SUM(captured), 0) AS captured
    FROM request_counts`
  assert.strictEqual(Number(counted?.["requests"]), keyed.length)
  assert.strictEqual(Number(counted?.["captured"]), captures.reduce((sum, { units }) => sum + Number(units), 0))
})

/** The forms in which this version stores a swap that its user makes: a call, or an instruction. */
const swapsOf = Effect.fnUntraced(function*(rows: Rows) {
  const transfers = yield* Transfers
  const kept = yield* Effect.forEach(rows["transfers"] ?? [], (row) => transfers.find(requestIdOf(row)))
  return kept.flatMap((found) => found?.terms.userSwap ?? []).map((swap) => "program" in swap ? "instruction" : "call")
    .toSorted()
})

const history = Object.keys(migrations)
const upTo = (last: string) =>
  migrate(Object.fromEntries(Object.entries(migrations).slice(0, history.indexOf(last) + 1)))

/** A store as its version left it. */
const written = Effect.fnUntraced(function*(writer: string, rows: Rows) {
  const sql = yield* SqlClient.SqlClient
  yield* upTo(writer)
  for (const [table, content] of Object.entries(rows)) {
    yield* Effect.forEach(content, (row) => sql`INSERT INTO ${sql(table)} ${sql.insert(row)}`, { discard: true })
  }
})

describeEngines((_name, engine) => {
  describe("a store is migrated, with its rows", () => {
    for (const writer of writers) {
      it.live(`from ${writer}`, () =>
        Effect.gen(function*() {
          const rows = rowsOf(writer)
          yield* written(writer, rows)
          assert.lengthOf(yield* migrate(migrations), history.length - history.indexOf(writer) - 1)
          yield* readReserved(rows)
          yield* readCounts(rows)
          yield* Effect.provide(readAll(rows), repositories)
          if (writer === writers.at(-1)) {
            assert.deepStrictEqual(yield* Effect.provide(swapsOf(rows), repositories), ["call", "instruction"])
            assert.lengthOf(rows["nonce_mappings"] ?? [], 1)
          }
        }).pipe(Effect.provide(engine)))
    }

    it.live("by every version in turn, as it was released", () =>
      Effect.gen(function*() {
        const [first = ""] = writers
        const rows = rowsOf(first)
        yield* written(first, rows)
        for (const version of history.slice(history.indexOf(first) + 1)) assert.lengthOf(yield* upTo(version), 1)
        assert.lengthOf(yield* migrate(migrations), 0)
        yield* readReserved(rows)
        yield* Effect.provide(readAll(rows), repositories)
      }).pipe(Effect.provide(engine)))
  })
})
