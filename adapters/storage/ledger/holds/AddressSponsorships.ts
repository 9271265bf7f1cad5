/** Which request has the quoted sponsorship of an open deposit address: one at a time. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SponsorHolds } from "../../../../ports/store/ledger/SponsorHolds.ts"
import type { AtAddress } from "../../../../ports/store/ledger/SponsorHolds.ts"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { TransferTerms } from "../../../../src/domain/transfer/Transfer.ts"
import { JsonText } from "../../engine/Columns.ts"
import { unendedStatuses } from "../../../../src/domain/transfer/Status.ts"
import { storeCall } from "../../StoreCall.ts"

const decodeHolders = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ request_id: RequestId })))

const decodeAwaited = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: RequestId, terms: JsonText(TransferTerms) }))
)

/** An address that is paid again and again has requests without end: those in flight are among the newest. */
const AWAITED = 50

export const addressSponsorships = (sql: SqlClient.SqlClient) => {
  /** True when the request has the sponsorship of the address: it had it, or nobody did. */
  const takeSponsorship = Effect.fnUntraced(function*(address: Address, request: RequestId) {
    const [holder] = yield* decodeHolders(
      yield* sql`INSERT INTO address_sponsorships ${sql.insert({ address, request_id: request })}
        ON CONFLICT (address) DO UPDATE SET request_id = address_sponsorships.request_id RETURNING request_id`
    )
    return holder?.request_id === request
  })

  /** For who comes next. */
  const freeSponsorship = (request: RequestId, address: Address) =>
    sql`DELETE FROM address_sponsorships WHERE address = ${address} AND request_id = ${request}`

  /** What of a hold counts against the budget of later deposits; undefined of what does not. */
  const laterOf = Effect.fnUntraced(function*(request: RequestId, at: AtAddress | undefined) {
    if (at === undefined || (at.as === "quote" && (yield* takeSponsorship(at.address, request)))) return undefined
    return at
  })

  const atAddress: SponsorHolds["Service"]["atAddress"] = (address) =>
    sql`SELECT request_id FROM address_sponsorships WHERE address = ${address}`.pipe(
      Effect.flatMap(decodeHolders),
      Effect.map(([holder]) => holder?.request_id),
      storeCall("SponsorHolds.atAddress")
    )

  const awaited: SponsorHolds["Service"]["awaited"] = (address, since) =>
    sql`SELECT t.id, t.terms FROM (SELECT request_id FROM deposit_address_requests WHERE address = ${address} ORDER BY request_id DESC LIMIT ${AWAITED}) r
          JOIN transfers t ON t.id = r.request_id
          LEFT JOIN sponsor_holds h ON h.request_id = t.id
        WHERE ${
      sql.in("t.status", ["waiting", ...unendedStatuses])
    } AND t.quoted_at >= ${since} AND (h.state IS NULL OR h.state IN ('none', 'released'))`.pipe(
      Effect.flatMap(decodeAwaited),
      Effect.map((rows) =>
        rows.flatMap(({ id, terms: { sponsorship } }) =>
          sponsorship === undefined ? [] : [{ request: id, sponsorship }]
        )
      ),
      storeCall("SponsorHolds.awaited")
    )

  return { freeSponsorship, laterOf, atAddress, awaited }
}
