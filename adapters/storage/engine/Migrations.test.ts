/** Migrations: all or none, once, whichever process starts first, and never on a store with another history. */
import { assert, it } from "@effect/vitest"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Fiber, Layer } from "effect"
import { MessageStorage } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { layerMessages } from "../cluster/WorkflowEngine.ts"
import { describeEngines, TestDatabase } from "../testing/engines.ts"
import { layerDatabase } from "./Database.ts"
import { changeTables, layerMigrations, migrate, statements } from "./Migrations.ts"

const first = statements((sql) => [
  sql`CREATE TABLE a (id TEXT NOT NULL PRIMARY KEY)`,
  sql`CREATE INDEX a_id ON a (id)`
])
const second = statements((
  sql
) => [sql`ALTER TABLE a ADD COLUMN n BIGINT NOT NULL DEFAULT 0`, sql`INSERT INTO a (id) VALUES ('x')`])
const broken = statements((
  sql
) => [sql`CREATE TABLE b (id TEXT NOT NULL PRIMARY KEY)`, sql`INSERT INTO nowhere (id) VALUES ('x')`])

const rowsOfA = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT id FROM a`).pipe(
  Effect.map((rows) => rows.length)
)

describeEngines((name, layer, database) => {
  it.live("runs pending migrations, in order, once", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* migrate({ "0001_first": first }), [[1, "first"]])
      assert.deepStrictEqual(yield* migrate({ "0002_second": second, "0001_first": first }), [[2, "second"]])
      assert.deepStrictEqual(yield* migrate({ "0001_first": first, "0002_second": second }), [])
      assert.strictEqual(yield* rowsOfA, 1)
    }).pipe(Effect.provide(layer)))

  it.live("a failed one rolls back its whole run, and the next run can continue", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(migrate({ "0001_first": first, "0002_broken": broken }))
      assert.include(error.message, "2_broken")
      assert.strictEqual((yield* migrate({ "0001_first": first, "0002_second": second })).length, 2)
      const sql = yield* SqlClient.SqlClient
      yield* Effect.flip(sql`SELECT id FROM b`)
    }).pipe(Effect.provide(layer)))

  it.live("a store of a newer version, of another history, or with a gap is refused", () =>
    Effect.gen(function*() {
      yield* migrate({ "0001_first": first, "0003_second": second })
      for (
        const history of [
          { "0001_first": first },
          { "0001_other": first, "0003_second": second },
          { "0001_first": first, "0002_late": broken, "0003_second": second },
          { "0001_first": first, "0003_second": second, "late": broken }
        ]
      ) {
        const error = yield* Effect.flip(migrate(history))
        assert.strictEqual(error._tag === "MigrationError" ? error.kind : error._tag, "BadState")
      }
      const newer = yield* Effect.flip(migrate({ "0001_first": first }))
      assert.strictEqual(
        newer.message,
        "the store has migration 3_second, which this version does not know: run a newer version"
      )
    }).pipe(Effect.provide(layer)))

  if (name === "postgres") {
    it.live("of two concurrent runs one migrates, and the other waits and finds it done", () =>
      Effect.gen(function*() {
        const url = yield* TestDatabase
        const slow = statements((
          sql
        ) => [sql`SELECT pg_sleep(0.5)::text AS slept`, sql`CREATE TABLE a (id TEXT NOT NULL PRIMARY KEY)`])
        // Without waiting, it would create the table too, and fail.
        const process = migrate({ "0001_slow": slow }).pipe(
          Effect.map((done) => done.length),
          Effect.provide(layerDatabase(url, { maxConnections: 1 }), { local: true })
        )
        const both = yield* Effect.all([process, process], { concurrency: 2 })
        assert.deepStrictEqual(both.toSorted((a, b) => a - b), [0, 1])
      }).pipe(Effect.provide(database)))

    it.live("many processes that start at once migrate once", () =>
      Effect.gen(function*() {
        const url = yield* TestDatabase
        const start = Effect.provide(
          rowsOfA,
          layerMigrations({ "0001_first": first, "0002_second": second }).pipe(
            Layer.provideMerge(layerDatabase(url, { maxConnections: 1 }))
          ),
          { local: true }
        )
        assert.deepStrictEqual(yield* Effect.all([start, start, start, start, start, start], { concurrency: 6 }), [
          1,
          1,
          1,
          1,
          1,
          1
        ])
      }).pipe(Effect.provide(database)))

    it.live("a process that starts while another one makes an index of the workflow engine waits for it", () =>
      Effect.gen(function*() {
        const connected = layerDatabase(yield* TestDatabase, { maxConnections: 2 })
        const start = MessageStorage.MessageStorage.pipe(
          Effect.provide(layerMessages.pipe(Layer.provide([connected, NodeCrypto.layer])), { local: true })
        )
        const index = "causeway_cluster_messages_entity"
        yield* start
        yield* Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`DROP INDEX ${sql(index)}`
          const waiting =
            sql`SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`
          const second = yield* changeTables(Effect.gen(function*() {
            yield* sql`CREATE INDEX ${sql(index)} ON cluster_messages (entity_id)`
            const starting = yield* Effect.forkChild(start)
            yield* Effect.repeat(Effect.delay(waiting, "20 millis"), { until: (rows) => rows.length > 0 })
            return starting
          }))
          // Without waiting, it would make the index too, and fail.
          yield* Fiber.join(second)
        }).pipe(Effect.provide(connected, { local: true }))
      }).pipe(Effect.provide(database)))
  }
})
