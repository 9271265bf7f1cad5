/**
 * Lists and sums of a key's requests in SQL, one text for both engines. Each filter has an index that ends in the order
 * of the list. Sums are of counts that triggers keep, so they do not grow with the requests.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { RequestListings } from "../../../ports/store/clients/RequestListings.ts"
import type { ListingFilter } from "../../../ports/store/clients/RequestListings.ts"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { MicroUsdcFromString } from "../../../src/domain/ledger/MicroUsdc.ts"
import type { Position } from "../../../src/domain/timeline/history/Continuation.ts"
import { Status } from "../../../src/domain/transfer/Status.ts"
import { SqlCount, SqlInt } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"
import { decodeTransfers } from "../orders/rows/TransferRows.ts"

const decodeCounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  day: SqlInt,
  status: Status,
  requests: SqlCount,
  sponsored_requests: SqlCount
})))

const decodeCaptures = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  day: SqlInt,
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

    /** Of the counts that triggers keep: what was captured is under no state. */
    const inRange = (key: ApiKeyId, first: number, last: number) =>
      sql`FROM request_counts WHERE api_key_id = ${key} AND day >= ${first} AND day <= ${last}`

    const countRequests = (key: ApiKeyId, first: number, last: number) =>
      sql`SELECT day, status, CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(sponsored) AS BIGINT) AS sponsored_requests
          ${inRange(key, first, last)} AND status <> '' GROUP BY day, status HAVING SUM(requests) <> 0
          ORDER BY day, status`.pipe(
        Effect.flatMap(decodeCounts),
        Effect.map((rows) =>
          rows.map(({ sponsored_requests: sponsoredRequests, ...row }) => ({ ...row, sponsoredRequests }))
        )
      )

    const sumCaptured = (key: ApiKeyId, first: number, last: number) =>
      sql`SELECT day, CAST(SUM(captured) AS TEXT) AS captured ${inRange(key, first, last)} AND status = ''
          GROUP BY day HAVING SUM(captured) <> 0 ORDER BY day`.pipe(Effect.flatMap(decodeCaptures))

    const countDays: RequestListings["Service"]["countDays"] = (key, first, last) =>
      Effect.all({ requests: countRequests(key, first, last), captured: sumCaptured(key, first, last) }).pipe(
        storeCall("RequestListings.countDays")
      )

    return RequestListings.of({ page, countDays })
  })
)
