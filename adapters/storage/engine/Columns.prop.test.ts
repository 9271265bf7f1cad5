/** Law of every column: a repository reads back what it wrote, from either engine. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { describeEngines } from "../testing/engines.ts"
import { JsonText, Millis, SqlBigInt, SqlBool, SqlCount, SqlInt, UintText } from "./Columns.ts"

const Payload = Schema.Struct({ amount: Schema.BigInt, note: Schema.String, at: Schema.optionalKey(Schema.Date) })

/** No engine keeps the sign of zero. */
const isNotNegativeZero = Schema.makeFilter((value: number) => !Object.is(value, -0))

const Row = Schema.Struct({
  int: SqlInt.check(isNotNegativeZero),
  ledger: SqlBigInt.check(Schema.isBetweenBigInt({ minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n })),
  millis: Millis.check(isNotNegativeZero),
  flag: SqlBool,
  uint: UintText,
  json: JsonText(Payload)
})

describeEngines((_name, layer) => {
  it.layer(layer, { excludeTestServices: true })((it) => {
    it.effect.prop("a row is read as it was written", [Row], ([row]) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE IF NOT EXISTS columns (
          int BIGINT NOT NULL, ledger BIGINT NOT NULL, millis BIGINT NOT NULL, flag BIGINT NOT NULL,
          uint TEXT NOT NULL, json TEXT NOT NULL)`
        yield* sql`DELETE FROM columns`
        yield* sql`INSERT INTO columns ${sql.insert(yield* Schema.encodeEffect(Row)(row))}`
        const [read] = yield* Effect.provideService(sql`SELECT * FROM columns`, SqlClient.SafeIntegers, true)
        assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(Row)(read), row)
        const [count] = yield* sql`SELECT COUNT(*) AS count FROM columns`
        assert.strictEqual((yield* Schema.decodeUnknownEffect(Schema.Struct({ count: SqlCount }))(count)).count, 1)
      }), { arbitrary: { runs: 200 } })
  })
})

it("a value that does not fit its column exactly is refused, not repaired", () => {
  const refused = (schema: Schema.Decoder<unknown>, value: unknown) =>
    assert.isTrue(Exit.isFailure(Schema.decodeUnknownExit(schema)(value)), String(value))
  for (const value of [2n ** 53n, 1.5, "1", null, NaN]) refused(SqlInt, value)
  for (const value of ["01", "-1", "1.0", "", " 1", "1e3", (2n ** 256n).toString()]) refused(UintText, value)
  for (const value of [2, -1, true, "1"]) refused(SqlBool, value)
  for (const value of [-1, 1.5]) refused(Millis, value)
})
