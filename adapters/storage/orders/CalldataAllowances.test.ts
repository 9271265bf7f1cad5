/**
 * Callers without a key may ask as often as they like: what is stored for them ends with their shared allowance, and no
 * key's allowance is touched; on both engines.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CalldataAllowances } from "../../../ports/store/orders/CalldataAllowances.ts"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { DAY_MS } from "../../../src/domain/calendar/Day.ts"
import { describeStores } from "../testing/stores.ts"

const start = 20_000 * DAY_MS
const [one, other] = [ApiKeyId.make("0".repeat(32)), ApiKeyId.make("1".repeat(32))]

describeStores(({ test, testOnTables }) => {
  test(
    "a day's calldata ends with its allowance, each key's separately, and starts over the next day",
    Effect.gen(function*() {
      const { take } = yield* CalldataAllowances
      const taken = (key: ApiKeyId | undefined, bytes: number, at = start) => take({ key, bytes, allowance: 100, at })
      assert.deepStrictEqual(yield* Effect.forEach([60, 40, 1], (bytes) => taken(undefined, bytes)), [
        true,
        true,
        false
      ])
      assert.deepStrictEqual(yield* Effect.forEach([one, other, one, other], (key) => taken(key, 60)), [
        true,
        true,
        false,
        false
      ])
      // The refused request was not counted, and a smaller one fits.
      assert.deepStrictEqual(yield* Effect.forEach([40, 1], (bytes) => taken(one, bytes)), [true, false])
      assert.isFalse(yield* taken(one, 101, start + DAY_MS))
      assert.isTrue(yield* taken(undefined, 100, start + DAY_MS))
      assert.isFalse(yield* taken(undefined, 1, start + DAY_MS + 1))
    })
  )

  testOnTables(
    "rows of past days are deleted",
    Effect.gen(function*() {
      const { take } = yield* CalldataAllowances
      const sql = yield* SqlClient.SqlClient
      const taken = (key: ApiKeyId | undefined, at: number) => take({ key, bytes: 1, allowance: 100, at })
      for (const key of [undefined, one, other]) assert.isTrue(yield* taken(key, start))
      assert.isTrue(yield* taken(undefined, start + 5 * DAY_MS))
      assert.lengthOf(yield* sql`SELECT key_id FROM calldata_taken`, 1)
    })
  )

  test(
    "concurrent requests see each other",
    Effect.gen(function*() {
      const { take } = yield* CalldataAllowances
      const all = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => take({ key: undefined, bytes: 30, allowance: 100, at: start }),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(all.filter((fits) => fits), 3)
    })
  )
})
