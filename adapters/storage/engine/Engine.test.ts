/** The contract of the storage engine: what repositories may rely on, on SQLite and PostgreSQL alike. */
import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, Deferred, Effect, Exit, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { describeEngines, TestDatabase } from "../testing/engines.ts"
import { Engine, layerDatabase } from "./Database.ts"
import { migrate, statements } from "./Migrations.ts"
import { writeTogether } from "../WriteTogether.ts"

const tables = statements((sql) => [
  sql`CREATE TABLE account (id TEXT NOT NULL PRIMARY KEY, balance BIGINT NOT NULL CHECK (balance >= 0))`,
  sql`CREATE TABLE entry (
    id TEXT NOT NULL PRIMARY KEY, account TEXT NOT NULL REFERENCES account (id), reference TEXT NOT NULL UNIQUE, amount TEXT NOT NULL)`
])

const balances = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly id: string; readonly balance: number | bigint }>`SELECT id, balance FROM account ORDER BY id`
).pipe(Effect.map((rows) => rows.map((row) => `${row.id}=${row.balance}`)))

describeEngines((name, engine, database) => {
  const empty = Layer.effectDiscard(tables).pipe(Layer.provideMerge(engine))

  it.live("reports which engine it is", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* Engine, name)
    }).pipe(Effect.provide(engine)))

  describe("transactions", () => {
    it.live("a success commits; a failure or an interruption leaves nothing", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const open = (id: string) => sql`INSERT INTO account (id, balance) VALUES (${id}, 1)`
        yield* sql.withTransaction(open("kept"))
        const failed = yield* Effect.exit(sql.withTransaction(Effect.andThen(open("failed"), Effect.fail("no"))))
        assert.isTrue(Exit.isFailure(failed))
        const started = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(sql.withTransaction(
          open("interrupted").pipe(Effect.andThen(Deferred.succeed(started, undefined)), Effect.andThen(Effect.never))
        ))
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* balances, ["kept=1"])
      }).pipe(Effect.provide(empty)))

    it.live("writes that are made together all happen or none, and return the rows of the last", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const open = (id: string) => sql`INSERT INTO account (id, balance) VALUES (${id}, 1)`
        const rows = yield* writeTogether(sql, [open("a"), open("b"), sql`${open("c")} RETURNING id`])
        assert.deepStrictEqual(rows, [{ id: "c" }])
        assert.deepStrictEqual(yield* writeTogether(sql, [sql`${open("d")} RETURNING id`]), [{ id: "d" }])
        yield* Effect.flip(writeTogether(sql, [open("e"), open("a"), open("f")]))
        yield* Effect.flip(writeTogether(sql, [open("e"), open("f"), open("a")]))
        assert.deepStrictEqual(yield* balances, ["a=1", "b=1", "c=1", "d=1"])
      }).pipe(Effect.provide(empty)))

    it.live("the same while nobody collects traces, alone and within a transaction, beside other work", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const open = (id: string) => sql`INSERT INTO account (id, balance) VALUES (${id}, 1)`
        const opened = (...ids: readonly [string, string]) =>
          writeTogether(sql, [open(ids[0]), sql`${open(ids[1])} RETURNING id`])
        assert.deepStrictEqual(yield* opened("a", "b"), [{ id: "b" }])
        const twice = yield* Effect.flip(opened("c", "a"))
        assert.strictEqual(twice._tag, "SqlError")
        // A group of its own, that fails in the middle of others.
        const all = yield* Effect.all(
          [opened("d", "e"), opened("f", "b"), sql.withTransaction(opened("g", "h")), open("i")].map(Effect.exit),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(all.map(Exit.isSuccess), [true, false, true, true])
        const undone = yield* Effect.exit(
          sql.withTransaction(Effect.andThen(opened("j", "k"), Effect.fail("undone")))
        )
        assert.isTrue(Exit.isFailure(undone))
        assert.deepStrictEqual(yield* balances, ["a=1", "b=1", "d=1", "e=1", "g=1", "h=1", "i=1"])
      }).pipe(Effect.withTracerEnabled(false), Effect.provide(empty)))

    it.live("an inner transaction can fail alone, and is rolled back with the outer one", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const open = (id: string) => sql`INSERT INTO account (id, balance) VALUES (${id}, 1)`
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* open("outer")
          yield* Effect.ignore(sql.withTransaction(Effect.andThen(open("inner"), Effect.fail("no"))))
          // A failed statement rolls back only its own savepoint, on PostgreSQL too.
          yield* Effect.ignore(sql.withTransaction(open("outer")))
          yield* sql.withTransaction(open("second"))
        }))
        yield* Effect.ignore(
          sql.withTransaction(Effect.andThen(sql.withTransaction(open("fallen")), Effect.fail("no")))
        )
        assert.deepStrictEqual(yield* balances, ["outer=1", "second=1"])
      }).pipe(Effect.provide(empty)))

    it.live("concurrent ones lose no updates and read nothing uncommitted", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO account (id, balance) VALUES ('a', 1000), ('b', 0)`
        const move = sql.withTransaction(Effect.gen(function*() {
          yield* sql`UPDATE account SET balance = balance - 7 WHERE id = 'a'`
          yield* Effect.yieldNow
          yield* sql`UPDATE account SET balance = balance + 7 WHERE id = 'b'`
        }))
        const sum = Effect.flatMap(
          sql<{ readonly sum: string }>`SELECT CAST(CAST(SUM(balance) AS BIGINT) AS TEXT) AS sum FROM account`,
          (rows) => Effect.sync(() => assert.strictEqual(rows[0]?.sum, "1000"))
        )
        yield* Effect.all(Array.from({ length: 40 }, () => [move, sum]).flat(), { concurrency: 16, discard: true })
        assert.deepStrictEqual(yield* balances, ["a=720", "b=280"])
      }).pipe(Effect.provide(empty)))

    it.live("of many conditional updates at once exactly one succeeds", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO account (id, balance) VALUES ('a', 5)`
        const take = sql`UPDATE account SET balance = balance - 5 WHERE id = 'a' AND balance >= 5 RETURNING id`
        const taken = yield* Effect.all(Array.from({ length: 20 }, () => take), { concurrency: 20 })
        assert.strictEqual(taken.flat().length, 1)
      }).pipe(Effect.provide(empty)))
  })

  describe("values", () => {
    it.live("integers keep every digit; one beyond 2^53 is never rounded silently", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const large = 2n ** 62n + 1n
        yield* sql`INSERT INTO account (id, balance) VALUES ('n', ${5}), ('b', ${large}), ('s', ${Number.MAX_SAFE_INTEGER})`
        const texts = yield* sql<
          { readonly t: string }
        >`SELECT CAST(balance AS TEXT) AS t FROM account ORDER BY balance`
        assert.deepStrictEqual(texts.map((row) => row.t), ["5", "9007199254740991", large.toString()])
        const read = sql<{ readonly balance: unknown }>`SELECT balance FROM account WHERE id = 'b'`
        const [exact] = yield* Effect.provideService(read, SqlClient.SafeIntegers, true)
        assert.strictEqual(exact?.balance, large)
        const plain = yield* Effect.exit(read)
        if (Exit.isSuccess(plain)) assert.strictEqual(plain.value[0]?.balance, large)
      }).pipe(Effect.provide(empty)))

    it.live("texts come back unchanged, including digits", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const amount = (2n ** 256n - 1n).toString()
        const odd = "it's \"quoted\"; -- ünïcode 🙂 \n %_\\"
        yield* sql`INSERT INTO account (id, balance) VALUES ('a', 0), (${odd}, 0)`
        yield* sql`INSERT INTO entry ${sql.insert([{ id: "1", account: "a", reference: odd, amount }])}`
        const rows = yield* sql<{ readonly reference: string; readonly amount: string }>`
          SELECT reference, amount FROM entry WHERE reference = ${odd}`
        assert.deepStrictEqual(rows.map((row) => [row.reference, row.amount]), [[odd, amount]])
        assert.strictEqual((yield* sql`SELECT id FROM account WHERE id IN ${sql.in([odd, "none"])}`).length, 1)
      }).pipe(Effect.provide(empty)))

    it.live("a stream returns every row, also more than a chunk", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const accounts = Arr.makeBy(700, (index) => ({ id: String(index).padStart(4, "0"), balance: 1 }))
        yield* sql`INSERT INTO account ${sql.insert(accounts)}`
        const query = sql<{ readonly id: string }>`SELECT id FROM account ORDER BY id`
        assert.deepStrictEqual(
          (yield* Stream.runCollect(query.stream)).map((row) => row.id),
          accounts.map((account) => account.id)
        )
        assert.strictEqual((yield* query).length, 700)
        assert.deepStrictEqual((yield* query.values).slice(0, 2), [["0000"], ["0001"]])
      }).pipe(Effect.provide(empty)))
  })

  describe("constraints", () => {
    it.live("each violation has its reason, on a primary key and on a unique column alike", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO account (id, balance) VALUES ('a', 0)`
        yield* sql`INSERT INTO entry (id, account, reference, amount) VALUES ('1', 'a', 'r', '1')`
        const reason = (effect: Effect.Effect<unknown, { readonly reason: { readonly _tag: string } }>) =>
          Effect.map(Effect.flip(effect), (error) => error.reason._tag)
        assert.strictEqual(yield* reason(sql`INSERT INTO account (id, balance) VALUES ('a', 0)`), "UniqueViolation")
        assert.strictEqual(
          yield* reason(sql`INSERT INTO entry (id, account, reference, amount) VALUES ('2', 'a', 'r', '1')`),
          "UniqueViolation"
        )
        assert.strictEqual(yield* reason(sql`UPDATE account SET balance = balance - 1`), "ConstraintError")
        assert.strictEqual(yield* reason(sql`INSERT INTO account (id, balance) VALUES (NULL, 0)`), "ConstraintError")
        assert.strictEqual(
          yield* reason(sql`INSERT INTO entry (id, account, reference, amount) VALUES ('3', 'nobody', 's', '1')`),
          "ConstraintError"
        )
        assert.deepStrictEqual(yield* balances, ["a=0"])
      }).pipe(Effect.provide(empty)))

    it.live("ON CONFLICT DO NOTHING RETURNING distinguishes a first insert from a second, also under concurrency", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const see = sql`INSERT INTO account (id, balance) VALUES ('a', 1) ON CONFLICT (id) DO NOTHING RETURNING id`
        const seen = yield* Effect.all(Array.from({ length: 12 }, () => sql.withTransaction(see)), { concurrency: 12 })
        assert.strictEqual(seen.flat().length, 1)
        assert.deepStrictEqual(yield* see, [])
      }).pipe(Effect.provide(empty)))

    it.live("a text of several statements is refused, not truncated", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const two =
          sql`INSERT INTO account (id, balance) VALUES ('a', 1); INSERT INTO account (id, balance) VALUES ('b', 1)`
        assert.isTrue(Exit.isFailure(yield* Effect.exit(two)))
        assert.deepStrictEqual(yield* balances, [])
      }).pipe(Effect.provide(empty)))
  })

  it.live("committed data is there when the store is opened again", () =>
    Effect.gen(function*() {
      const url = yield* TestDatabase
      const write = Effect.gen(function*() {
        yield* migrate({ "0001_tables": tables })
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO account (id, balance) VALUES ('a', 3)`
      })
      yield* Effect.provide(write, layerDatabase(url), { local: true })
      assert.deepStrictEqual(yield* Effect.provide(balances, layerDatabase(url), { local: true }), ["a=3"])
    }).pipe(Effect.provide(database)))
})
