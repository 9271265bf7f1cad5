import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { describeEngines } from "./engines.ts"

describeEngines((_name, engine) => {
  const borrowing = <A>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, SqlError.SqlError>) =>
    Effect.flatMap(SqlClient.SqlClient, use).pipe(Effect.provide(Layer.fresh(engine)))

  it.live("each store begins without rows, also of those that triggers keep, and with the schema of this version", () =>
    Effect.gen(function*() {
      yield* borrowing((sql) =>
        sql`INSERT INTO deposit_addresses ${
          sql.insert({
            address: "a",
            chain_id: 1,
            mode: "open",
            request_id: "r",
            order_id: "o",
            depositor: "d",
            currency: "c",
            created_at: 1,
            touched_at: 1
          })
        }`
      )
      const left = yield* borrowing((sql) =>
        Effect.zip(
          sql`SELECT address FROM deposit_addresses`,
          sql`CREATE TABLE leftover (id TEXT NOT NULL PRIMARY KEY)`
        )
      )
      assert.deepStrictEqual(left[0], [])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(borrowing((sql) => sql`SELECT id FROM leftover`))))
    }))
}, "migrated")
