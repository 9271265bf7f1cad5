import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { STORE_TOPICS, StoreNotices } from "../../../ports/store/operations/StoreNotices.ts"
import type { StoreTopic } from "../../../ports/store/operations/StoreNotices.ts"
import { layerMigrations } from "../engine/Migrations.ts"
import { migrations } from "../migrations/index.ts"
import { describeEngines } from "../testing/engines.ts"
import * as SqlStoreNotices from "./StoreNotices.ts"

const id = (n: number) => `0x${n.toString(16).padStart(64, "0")}`

/** Notices of another process on the same store: on SQLite, of the same one. */
const another = Effect.map(
  Layer.build(Layer.fresh(SqlStoreNotices.layer)),
  (context) => Context.get(context, StoreNotices)
)

/** How often each topic was heard, once notices arrive: nothing counts by itself any more. */
const heardBy = Effect.fnUntraced(function*({ heard }: StoreNotices["Service"]) {
  const counts = new Map<StoreTopic, number>()
  for (const topic of STORE_TOPICS) counts.set(topic, yield* heard(topic))
  return counts
})

const pause = (sql: SqlClient.SqlClient, name: string) =>
  sql`INSERT INTO pauses ${sql.insert({ id: name, scope: "{}", reason: "why", created_at: 1 })}`

const deposit = (n: number, state: "open" | "foreign", order = id(1)) => ({
  onchain_id: id(n),
  chain_id: 1,
  transaction_id: id(n),
  deposit_id: order,
  deposit: "{}",
  block_hash: "0xaa",
  state,
  sighting: 0,
  seen_at: n
})

/**
 * Waits until a notice has made the whole way, so that everything committed before it was heard too. A connection
 * counts as a notice of every topic, of webhooks too: then it is no notice yet.
 */
const settle = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, notices: StoreNotices["Service"]) {
  const other = notices.heard("webhooks")
  for (let before = -1; before !== (yield* other);) {
    before = yield* other
    const known = yield* notices.heard("pauses")
    yield* sql`DELETE FROM pauses WHERE id = 'settle'`
    yield* pause(sql, "settle")
    yield* notices.after("pauses", known)
  }
})

describeEngines((name, engine) => {
  const fresh = Layer.provideMerge(
    SqlStoreNotices.layer,
    Layer.provideMerge(layerMigrations(migrations), engine)
  )

  it.live("what is committed is heard by every process, and what is rolled back by none", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const both = [yield* StoreNotices, yield* another]
      for (const each of both) yield* settle(sql, each)
      const known = yield* Effect.forEach(both, heardBy)
      const rolledBack = yield* Effect.flip(sql.withTransaction(Effect.gen(function*() {
        yield* sql`INSERT INTO deposits ${sql.insert(deposit(1, "open"))}`
        // A savepoint that is kept belongs to a transaction that is not.
        yield* sql.withTransaction(sql`INSERT INTO deposits ${sql.insert(deposit(2, "open"))}`)
        return yield* Effect.fail("no")
      })))
      assert.strictEqual(rolledBack, "no")
      yield* sql.withTransaction(Effect.gen(function*() {
        const undone = yield* Effect.flip(sql.withTransaction(Effect.andThen(
          sql`INSERT INTO deposits ${sql.insert(deposit(3, "open"))}`,
          Effect.fail("no")
        )))
        assert.strictEqual(undone, "no")
        yield* pause(sql, "chain:1")
      }))
      for (const [index, notices] of both.entries()) {
        const before = known[index] ?? assert.fail("no process")
        yield* notices.after("pauses", before.get("pauses") ?? 0)
        assert.strictEqual(yield* notices.heard("deposits"), before.get("deposits"))
      }
    }).pipe(Effect.scoped, Effect.provide(fresh)), 30_000)

  it.live("each topic's changes are heard, and no others", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const notices = yield* StoreNotices
      yield* settle(sql, notices)
      const expect = Effect.fnUntraced(
        function*(topics: ReadonlyArray<StoreTopic>, write: Effect.Effect<unknown, unknown>) {
          const before = yield* heardBy(notices)
          yield* write
          yield* settle(sql, notices)
          const after = yield* heardBy(notices)
          const heard = STORE_TOPICS.filter((topic) => topic !== "pauses" && before.get(topic) !== after.get(topic))
          assert.deepStrictEqual(heard, topics)
        }
      )
      const insert = (row: ReturnType<typeof deposit>) => sql`INSERT INTO deposits ${sql.insert(row)}`
      yield* expect(["deposits"], insert(deposit(1, "open")))
      yield* expect([], insert(deposit(2, "foreign")))
      // A lock of the row.
      yield* expect([], sql`UPDATE deposits SET state = state WHERE onchain_id = ${id(1)}`)
      yield* expect(["deposits"], sql`UPDATE deposits SET sighting = sighting + 1 WHERE onchain_id = ${id(1)}`)
      yield* expect([], sql`UPDATE deposits SET state = 'filled' WHERE onchain_id = ${id(1)}`)
      yield* expect(["deposits"], Effect.andThen(insert(deposit(3, "open")), insert(deposit(4, "open"))))
      // Another deposit of the order may follow.
      yield* expect(["deposits"], sql`UPDATE deposits SET state = 'refunded' WHERE onchain_id = ${id(3)}`)
      yield* expect([], sql`UPDATE deposits SET state = 'refunded' WHERE onchain_id = ${id(4)}`)
      yield* expect(
        ["restorations"],
        sql`INSERT INTO restorations ${sql.insert({ chain_id: 1, height: "1", restored_at: 1 })}`
      )
      yield* expect([], sql`UPDATE restorations SET fence = '1'`)
      yield* expect(["restorations"], sql`UPDATE restorations SET settled_at = 1`)
    }).pipe(Effect.provide(fresh)), 30_000)

  it.live(
    "a notice before the waiting is not missed, and an interrupted waiting leaves nothing behind",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const notices = yield* StoreNotices
        yield* settle(sql, notices)
        const known = yield* notices.heard("pauses")
        const stopped = yield* Effect.forkChild(notices.after("pauses", known))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(stopped)
        yield* pause(sql, "chain:1")
        yield* notices.after("pauses", known)
        yield* notices.after("pauses", known)
      }).pipe(Effect.provide(fresh)),
    30_000
  )

  if (name === "postgres") {
    it.live(
      "a connection that is cut is made again, and counts as a notice of everything",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const notices = yield* StoreNotices
          yield* settle(sql, notices)
          const known = yield* heardBy(notices)
          const cut = yield* sql`SELECT pg_terminate_backend(pid)::text AS cut FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'LISTEN%'`
          assert.lengthOf(cut, 1)
          for (const topic of STORE_TOPICS) yield* notices.after(topic, known.get(topic) ?? 0)
          const listening = sql`SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'LISTEN%'`
          yield* listening.pipe(Effect.repeat({ until: (rows) => rows.length === 1 }))
          yield* settle(sql, notices)
        }).pipe(Effect.provide(fresh)),
      30_000
    )
  }
})
