/** What only the SQLite driver has to get right. The rest is in the contract of both engines (`Engine.test.ts`). */
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Sqlite from "./Sqlite.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-sqlite-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const inMemory = Sqlite.layer({ filename: ":memory:" })

it.live("a file is opened durably: write-ahead log, synced at each commit, foreign keys on", () =>
  Effect.gen(function*() {
    const folder = yield* temporary
    const pragmas = Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return [
        yield* sql`PRAGMA journal_mode`.values,
        yield* sql`PRAGMA synchronous`.values,
        yield* sql`PRAGMA foreign_keys`.values,
        yield* sql`PRAGMA busy_timeout`.values
      ].flat(2)
    })
    const filename = join(folder, "made", "on", "the", "way", "store.db")
    assert.deepStrictEqual(yield* Effect.provide(pragmas, Sqlite.layer({ filename })), ["wal", 2, 1, 5_000])
  }).pipe(Effect.scoped))

it.live("a number is bound as an integer, and a value without SQL type is refused", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const values = [5, true, null, "5", 2n ** 63n - 1n, 1.5, Number.MAX_SAFE_INTEGER]
    const texts: Array<unknown> = []
    for (const value of values) texts.push((yield* sql`SELECT CAST(${value} AS TEXT)`.values)[0]?.[0])
    assert.deepStrictEqual(texts, ["5", "1", null, "5", "9223372036854775807", "1.5", "9007199254740991"])
    for (const value of [2n ** 63n, { a: 1 }, ["a"], Symbol.iterator, () => 1]) {
      yield* Effect.flip(sql.unsafe("SELECT ?", [value]))
    }
  }).pipe(Effect.provide(inMemory)))

it.live("more statements than the cache holds, and a table that changes under a cached statement", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const query = (column: number) => sql.unsafe<{ readonly value: number }>(`SELECT ${column} AS value`)
    for (let round = 0; round < 2; round++) {
      for (let column = 0; column < 600; column++) assert.strictEqual((yield* query(column))[0]?.value, column)
    }
    yield* sql`CREATE TABLE t (a TEXT NOT NULL)`
    yield* sql`INSERT INTO t (a) VALUES ('x')`
    const all = sql`SELECT * FROM t`.values
    assert.deepStrictEqual(yield* all, [["x"]])
    yield* sql`ALTER TABLE t ADD COLUMN b BIGINT NOT NULL DEFAULT 7`
    assert.deepStrictEqual(yield* all, [["x", 7]])
  }).pipe(Effect.provide(inMemory)))

it.live("inside a transaction a stream continues while its own statement runs again", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const numbers = sql<{ readonly n: number }>`
      WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 600) SELECT n FROM c`
    const sum = yield* sql.withTransaction(
      Stream.runFoldEffect(numbers.stream, () =>
        0, (sum, row) =>
        Effect.map(numbers, (rows) => sum + row.n + rows.length))
    )
    assert.strictEqual(sum, 600 * 601 / 2 + 600 * 600)
  }).pipe(Effect.provide(inMemory)))

it.live("what an operator can help says which file, and what to do", () =>
  Effect.gen(function*() {
    const folder = yield* temporary
    const text = join(folder, "text.db")
    writeFileSync(text, "not a database, and longer than the head of one, which has a hundred bytes: ".repeat(8))
    const saidOf = (filename: string, use = (sql: SqlClient.SqlClient) => sql`SELECT 1`.values) =>
      Effect.map(
        Effect.flip(Effect.provide(Effect.flatMap(SqlClient.SqlClient, use), Sqlite.layer({ filename }))),
        ({ message }) => message
      )
    assert.match(yield* saidOf(text), /text\.db: .*restore a backup/u)
    assert.match(yield* saidOf(folder), /causeway-sqlite-\w+: .*must be a file in a folder/u)
    assert.match(yield* saidOf(join(text, "store.db")), /store\.db: .*must be a file in a folder/u)
    const full = yield* saidOf(join(folder, "full.db"), (sql) =>
      Effect.andThen(sql`PRAGMA max_page_count = 1`, sql`CREATE TABLE t (a TEXT)`.values))
    assert.match(full, /free space on its disk/u)
  }).pipe(Effect.scoped))
