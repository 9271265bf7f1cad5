/** Transactions that are committed together, on a file: what each may rely on, and what ends all of them. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Sqlite from "./Sqlite.ts"

/** A store with one table, and what a second connection sees in it: only what is committed. */
const store = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-commit-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const filename = join(folder, "store.db")
  const sql = yield* Effect.provide(SqlClient.SqlClient, yield* Layer.build(Sqlite.layer({ filename })))
  yield* sql`CREATE TABLE written (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES written)`
  const other = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(filename, { readOnly: true })),
    (opened) => Effect.sync(() => opened.close())
  )
  const durable = (): ReadonlyArray<unknown> =>
    other.prepare("SELECT id FROM written ORDER BY id").all().map(({ id }) => id)
  const write = (id: number) => sql`INSERT INTO written (id) VALUES (${id})`
  /** What the second connection sees at the moment the effect returns. */
  const seenAtReturn = (effect: Effect.Effect<unknown, unknown>) => Effect.map(Effect.exit(effect), () => durable())
  return { sql, durable, write, seenAtReturn }
})

const together = <A, E, R>(...effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

const numbers = Array.from({ length: 50 }, (_, index) => index + 1)

it.live("all writes of one turn share one commit, each transaction whole or not at all", () =>
  Effect.gen(function*() {
    const { durable, seenAtReturn, sql, write } = yield* store
    // Every tenth violates the key with its second statement, and must leave nothing of its first.
    const twice = (id: number) => sql.withTransaction(Effect.andThen(write(id), write(id % 10 === 0 ? id : 1_000 + id)))
    const seen = yield* together(...numbers.map((id) => seenAtReturn(twice(id))))
    const kept = numbers.filter((id) => id % 10 !== 0)
    const all = [...kept, ...kept.map((id) => 1_000 + id)]
    assert.deepStrictEqual(durable(), all)
    // Failed transactions have waited too: another transaction's write could have caused their failure.
    assert.deepStrictEqual(seen, numbers.map(() => all))
  }).pipe(Effect.scoped))

it.live("nothing is visible before it is durable: not to its own write, a read, a stream or a nested transaction", () =>
  Effect.gen(function*() {
    const { seenAtReturn, sql, write } = yield* store
    const seen = yield* together(
      seenAtReturn(sql.withTransaction(write(1))),
      seenAtReturn(write(2)),
      seenAtReturn(sql`SELECT id FROM written`),
      seenAtReturn(sql.withTransaction(sql`SELECT id FROM written`)),
      seenAtReturn(sql.withTransaction(sql.withTransaction(write(3)))),
      seenAtReturn(Stream.runDrain(sql`SELECT id FROM written`.stream)),
      seenAtReturn(sql.withTransaction(Effect.andThen(write(4), Effect.fail("no"))))
    )
    // The stream makes the open group durable and starts a new one.
    for (const ids of seen) assert.includeMembers([...ids], [1, 2, 3])
    assert.notInclude(seen.flat(), 4)
  }).pipe(Effect.scoped))

it.live("a commit that fails fails for all of them, and later ones are written", () =>
  Effect.gen(function*() {
    const { durable, sql, write } = yield* store
    const orphan = Effect.andThen(
      sql`PRAGMA defer_foreign_keys = ON`,
      sql`INSERT INTO written (id, parent) VALUES (7, 99)`
    )
    const read = Effect.asVoid(sql`SELECT id FROM written`)
    const exits = yield* together(
      ...[write(1), sql.withTransaction(orphan), read, sql.withTransaction(write(2))].map(Effect.exit)
    )
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [false, false, false, false])
    assert.deepStrictEqual(durable(), [])
    yield* together(write(1), sql.withTransaction(write(2)))
    assert.deepStrictEqual(durable(), [1, 2])
  }).pipe(Effect.scoped))

it.live("what SQLite rolls back by itself counts as no one's success", () =>
  Effect.gen(function*() {
    const { durable, sql, write } = yield* store
    yield* write(1)
    const exits = yield* together(
      ...[
        sql.withTransaction(write(2)),
        sql.withTransaction(sql`INSERT OR ROLLBACK INTO written (id) VALUES (1)`),
        sql.withTransaction(write(3))
      ].map(Effect.exit)
    )
    // The third comes after the rollback, in a transaction that is committed.
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [false, false, true])
    assert.deepStrictEqual(durable(), [1, 3])
  }).pipe(Effect.scoped))

it.live("a long transaction is committed with what came before it, and nobody waits for ever", () =>
  Effect.gen(function*() {
    const { durable, sql, write } = yield* store
    const slow = sql.withTransaction(Effect.andThen(write(1), Effect.delay(write(2), "30 millis")))
    yield* together(slow, write(3), sql.withTransaction(write(4)))
    assert.deepStrictEqual(durable(), [1, 2, 3, 4])
  }).pipe(Effect.scoped))

it.live("an interrupted transaction is written whole or not at all, and blocks nobody", () =>
  Effect.gen(function*() {
    const { durable, sql, write } = yield* store
    const slow = yield* Effect.forkChild(
      sql.withTransaction(Effect.andThen(write(1), Effect.andThen(Effect.sleep("1 hour"), write(2))))
    )
    const waiting = yield* Effect.forkChild(sql.withTransaction(write(3)))
    yield* Effect.sleep("10 millis")
    yield* Fiber.interrupt(waiting)
    const after = yield* Effect.forkChild(write(4))
    yield* Fiber.interrupt(slow)
    yield* Fiber.join(after)
    assert.deepStrictEqual(durable(), [4])
  }).pipe(Effect.scoped))

it.live("what may not run in a transaction does not, even while one is open", () =>
  Effect.gen(function*() {
    const { durable, sql, write } = yield* store
    yield* together(...[write(1), sql`VACUUM`, sql.withTransaction(write(2))])
    assert.deepStrictEqual(durable(), [1, 2])
  }).pipe(Effect.scoped))

it.live("a transaction that is open when the store is closed is written", () =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-commit-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    const filename = join(folder, "store.db")
    const ids = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT id FROM written`.values)
    yield* Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE written (id INTEGER PRIMARY KEY)`
      yield* Effect.forkChild(sql`INSERT INTO written (id) VALUES (1)`, { startImmediately: true })
    }).pipe(Effect.provide(Sqlite.layer({ filename })))
    assert.deepStrictEqual(yield* Effect.provide(ids, Sqlite.layer({ filename })), [[1]])
  }).pipe(Effect.scoped))
