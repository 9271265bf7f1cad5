/** Sponsored requests in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { SponsoredRequests } from "../../../ports/store/ledger/SponsoredRequests.ts"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Agreement } from "../../../src/domain/sponsorship/Agreement.ts"
import { JsonText, Millis } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"
import { SettledRow } from "./holds/SettlingHolds.ts"

/** The part of a request's terms that costs are about. */
const Terms = JsonText(
  Schema.Struct({ originChainId: ChainId, destinationChainId: ChainId, sponsorship: Agreement })
)

const decodeRows = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ ...SettledRow.fields, key_id: ApiKeyId, held_at: Millis, terms: Terms }))
)

export const layer = Layer.effect(
  SponsoredRequests,
  Effect.map(SqlClient.SqlClient, (sql) =>
    SponsoredRequests.of({
      paidBy: (wallet, from, to, limit) =>
        sql`SELECT h.key_id, h.held_at, t.terms, s.charge, s.gas_paid, s.captured FROM sponsor_holds h
          JOIN sponsor_settlements s ON s.request_id = h.request_id JOIN transfers t ON t.id = h.request_id
          WHERE h.wallet = ${wallet} AND h.state = 'settled' AND h.held_at >= ${from} AND h.held_at < ${to}
            AND s.captured <> '0' ORDER BY h.held_at DESC, h.request_id LIMIT ${limit}`.pipe(
          Effect.flatMap(decodeRows),
          Effect.map((rows) =>
            rows.map(({ captured, charge: { rentPaid, ...charge }, gas_paid: gasPaid, held_at, key_id, terms }) => ({
              key: key_id,
              heldAt: held_at,
              originChainId: terms.originChainId,
              destinationChainId: terms.destinationChainId,
              agreement: terms.sponsorship,
              charge,
              gasPaid,
              rentPaid,
              captured
            }))
          ),
          storeCall("SponsoredRequests.paidBy")
        )
    }))
)
