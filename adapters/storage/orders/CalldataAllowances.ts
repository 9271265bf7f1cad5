/**
 * Stored calldata by day and key in SQL, one text for both engines. It is counted in one statement, at any size of the
 * store.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CalldataAllowances } from "../../../ports/store/orders/CalldataAllowances.ts"
import { utcDay } from "../../../src/domain/calendar/Day.ts"
import { storeCall } from "../StoreCall.ts"

/** The id in rows of callers without a key. No key has this id. */
const NOBODY = ""

/** More than the clocks of processes differ. */
const KEPT_DAYS = 2

export const layer = Layer.effect(
  CalldataAllowances,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const take: CalldataAllowances["Service"]["take"] = ({ allowance, at, bytes, key = NOBODY }) =>
      bytes > allowance ? Effect.succeed(false) : Effect.gen(function*() {
        const day = utcDay(at)
        const [counted] = yield* sql`INSERT INTO calldata_taken ${sql.insert({ day, key_id: key, bytes })}
          ON CONFLICT (day, key_id) DO UPDATE SET bytes = calldata_taken.bytes + excluded.bytes
            WHERE calldata_taken.bytes + excluded.bytes <= ${allowance}
          RETURNING bytes`
        // A key's first request on a day deletes past days.
        if (Number(counted?.["bytes"]) === bytes) yield* sql`DELETE FROM calldata_taken WHERE day < ${day - KEPT_DAYS}`
        return counted !== undefined
      }).pipe(storeCall("CalldataAllowances.take"))

    return CalldataAllowances.of({ take })
  })
)
