/**
 * Lists and sums of a key's requests in SQL, one text for both engines. Each filter has an index that ends in the order
 * of the list.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { RequestListings } from "../../../ports/store/clients/RequestListings.ts"
import type { ListingFilter } from "../../../ports/store/clients/RequestListings.ts"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { MicroUsdcFromString } from "../../../src/domain/ledger/MicroUsdc.ts"
import type { Position } from "../../../src/domain/timeline/history/Continuation.ts"
import { DAY_MS } from "../../../src/domain/calendar/Day.ts"
import { Status } from "../../../src/domain/transfer/Status.ts"
import { SqlCount, SqlInt } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"
import { decodeTransfers } from "../orders/rows/TransferRows.ts"

const decodeCounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  day: SqlInt,
  status: Status,
  requests: SqlCount,
  sponsored_requests: SqlCount,
  captured: MicroUsdcFromString
})))

export const layer = Layer.effect(
  RequestListings,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const conditions = (
      key: ApiKeyId,
      { sponsored, status, users }: ListingFilter,
      after: Position | undefined
    ): ReadonlyArray<Statement.Fragment> => [
      sql`api_key_id = ${key}`,
      ...(status === undefined ? [] : [sql`status = ${status}`]),
      ...(users === undefined ? [] : [sql.in("user_account", users)]),
      ...(sponsored === undefined ? [] : [sql`sponsored = ${sponsored ? 1 : 0}`]),
      ...(after === undefined ? [] : [sql`(quoted_at, id) < (${after.at}, ${after.id})`])
    ]

    const page: RequestListings["Service"]["page"] = (key, filter, after, limit) =>
      sql`SELECT * FROM transfers WHERE ${
        sql.and(conditions(key, filter, after))
      } ORDER BY quoted_at DESC, id DESC LIMIT ${limit}`.pipe(
        Effect.flatMap(decodeTransfers),
        storeCall("RequestListings.page")
      )

    // Written for SQLite: two subqueries, because it would start a join from all captures ever made; and the same
    // expression on both sides of the comparison, because it does not look up a plain column in an index on an
    // expression.
    const countDays: RequestListings["Service"]["countDays"] = (key, first, last) =>
      sql`SELECT day, status, COUNT(*) AS requests, CAST(SUM(sponsored) AS BIGINT) AS sponsored_requests, CAST(SUM(captured) AS TEXT) AS captured FROM (
            SELECT t.quoted_at / ${sql.literal(String(DAY_MS))} AS day, t.status, t.sponsored,
              COALESCE((SELECT SUM((SELECT CAST(e.units AS BIGINT) FROM ledger_entries e WHERE e.transaction_id = c.id AND e.account = 'Revenue'))
                FROM ledger_transactions c WHERE c.kind = 'capture' AND substr(c.id, 9, 66) = substr(t.id, 1, 66)), 0) AS captured
            FROM transfers t
            WHERE t.api_key_id = ${key} AND t.quoted_at >= ${first * DAY_MS} AND t.quoted_at < ${(last + 1) * DAY_MS}
          ) AS requests_of_key GROUP BY day, status ORDER BY day, status`.pipe(
        Effect.flatMap(decodeCounts),
        Effect.map((rows) =>
          rows.map(({ sponsored_requests: sponsoredRequests, ...row }) => ({ ...row, sponsoredRequests }))
        ),
        storeCall("RequestListings.countDays")
      )

    return RequestListings.of({ page, countDays })
  })
)
