import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { describeEngines } from "../testing/engines.ts"
import { makeGroupCommit } from "./GroupCommit.ts"

describeEngines((name, engine) => {
  it.live("makes all writes durable that succeed, each whole or not at all; one that fails, fails alone", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE written (id BIGINT PRIMARY KEY, half BIGINT NOT NULL)`
      const commit = yield* makeGroupCommit
      const numbers = Array.from({ length: 100 }, (_, index) => index)
      // Every tenth violates the key with its second statement, and must leave nothing of its first.
      const write = (n: number) =>
        commit(Effect.andThen(
          sql`INSERT INTO written ${sql.insert({ id: n, half: 1 })}`,
          sql`INSERT INTO written ${sql.insert({ id: n % 10 === 0 ? n : 1_000 + n, half: 2 })}`
        ))
      const exits = yield* Effect.forEach(numbers, (n) => Effect.exit(write(n)), { concurrency: "unbounded" })
      assert.deepStrictEqual(exits.map(Exit.isSuccess), numbers.map((n) => n % 10 !== 0))
      const rows = yield* sql`SELECT id FROM written ORDER BY id`
      const kept = numbers.filter((n) => n % 10 !== 0)
      assert.deepStrictEqual(rows.map(({ id }) => Number(id)), [...kept, ...kept.map((n) => 1_000 + n)])
    }).pipe(Effect.scoped, Effect.provide(engine)))

  it.live("writes what waits together in one transaction, where one connection has to do it all", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE seen (id BIGINT PRIMARY KEY)`
      const commit = yield* makeGroupCommit
      let begun = 0
      const begunAtReturn: Array<number> = []
      const write = (n: number) =>
        Effect.andThen(
          commit(Effect.suspend(() => {
            begun += 1
            return Effect.asVoid(sql`INSERT INTO seen ${sql.insert({ id: n })}`)
          })),
          Effect.sync(() => begunAtReturn.push(begun))
        )
      yield* Effect.forEach(Array.from({ length: 50 }, (_, index) => index), write, {
        concurrency: "unbounded",
        discard: true
      })
      assert.lengthOf(yield* sql`SELECT id FROM seen`, 50)
      // The first to return has waited for all: they were one transaction.
      if (name === "sqlite") assert.deepStrictEqual([...new Set(begunAtReturn)], [50])
    }).pipe(Effect.scoped, Effect.provide(engine)))
})
