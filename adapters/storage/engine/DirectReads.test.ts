/** Reads in one go see what any other statement would see: nothing that is not durable, but within a transaction its own. */
import { assert, it } from "@effect/vitest"
import { Array as Arr, Effect, Layer, References, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { directRead } from "./DirectReads.ts"
import * as Sqlite from "./Sqlite.ts"

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.Int })))

const store = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-reads-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const filename = join(folder, "store.db")
  const sql = yield* Effect.provide(SqlClient.SqlClient, yield* Layer.build(Sqlite.layer({ filename })))
  yield* sql`CREATE TABLE written (id INTEGER PRIMARY KEY)`
  const other = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(filename, { readOnly: true })),
    (opened) => Effect.sync(() => opened.close())
  )
  return {
    sql,
    durable: () => other.prepare("SELECT id FROM written ORDER BY id").all().map(({ id }) => id),
    write: (id: number) => sql`INSERT INTO written (id) VALUES (${id})`,
    read: Effect.flatMap(
      directRead(sql, sql`SELECT id FROM written ORDER BY id`),
      (rows) => Effect.map(decodeRows(rows), Arr.map(({ id }) => id))
    )
  }
})

/** As a host that collects no traces. */
const untraced = Effect.provideService(References.TracerEnabled, false)

it.live("a read beside writes that are not committed returns only what is durable by then", () =>
  Effect.gen(function*() {
    const { durable, read, sql, write } = yield* store
    const seen = Effect.map(read, (ids) => ({ ids, durable: durable() }))
    const slow = sql.withTransaction(Effect.andThen(write(1), Effect.andThen(Effect.sleep("20 millis"), write(2))))
    const failing = sql.withTransaction(Effect.andThen(write(3), Effect.fail("no")))
    const reads = Array.from({ length: 20 }, (_, n) => Effect.andThen(Effect.sleep(n * 2), seen))
    const writes = Effect.all([slow, Effect.exit(failing), write(4)], { concurrency: "unbounded" })
    const [all] = yield* Effect.all([Effect.all(reads, { concurrency: "unbounded" }), writes], {
      concurrency: "unbounded"
    })
    for (const { durable: then, ids } of all) assert.includeMembers([...then], [...ids])
    assert.deepStrictEqual(yield* read, [1, 2, 4])
  }).pipe(untraced, Effect.scoped))

it.live("a read within a transaction sees what the transaction has written", () =>
  Effect.gen(function*() {
    const { read, sql, write } = yield* store
    assert.deepStrictEqual(yield* sql.withTransaction(Effect.andThen(write(1), read)), [1])
    assert.deepStrictEqual(yield* read, [1])
  }).pipe(untraced, Effect.scoped))
