/** Stored calldata by day and key in SQL, one text for both engines: one statement counts, whatever the store holds. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CalldataAllowances } from "../../../ports/store/orders/CalldataAllowances.ts"
import { utcDay } from "../../../src/domain/calendar/Day.ts"
import { storeCall } from "../StoreCall.ts"

/** Whom rows without a key are of; no key has this id. */
const NOBODY = ""

/** Clocks of processes differ by less. */
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
        // The first of a key on a day has past days forgotten.
        if (Number(counted?.["bytes"]) === bytes) yield* sql`DELETE FROM calldata_taken WHERE day < ${day - KEPT_DAYS}`
        return counted !== undefined
      }).pipe(storeCall("CalldataAllowances.take"))

    return CalldataAllowances.of({ take })
  })
)
