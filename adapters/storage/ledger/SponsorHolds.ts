/**
 * Holds of sponsors' money in SQL, one text for both engines: hold, budget and ledger move in one transaction.
 *
 * Rows are locked in one order (the request's, the deposit address's, the budget's, the ledger's accounts), so that
 * nobody waits in a circle. A hold that was given back may be placed again: each round has movements of its own in the
 * ledger.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { Charge } from "../../../src/domain/sponsorship/Charge.ts"
import { JsonText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"
import { addressSponsorships } from "./holds/AddressSponsorships.ts"
import { placingHolds } from "./holds/PlacingHolds.ts"
import { releasingHolds } from "./holds/ReleasingHolds.ts"
import { settlingHolds } from "./holds/SettlingHolds.ts"

const ChargeText = JsonText(Charge)

const encodeCharge = Schema.encodeEffect(ChargeText)

const decodeCharges = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ charge: ChargeText })))

export const layer = Layer.effect(
  SponsorHolds,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ledger = yield* Ledger
    const { atAddress, awaited } = addressSponsorships(sql)

    const noteCharge: SponsorHolds["Service"]["noteCharge"] = (request, amountOut, charge) =>
      Effect.gen(function*() {
        const row = { request_id: request, amount_out: amountOut.toString(), charge: yield* encodeCharge(charge) }
        yield* sql`INSERT INTO sponsor_charges ${sql.insert(row)} ON CONFLICT (request_id, amount_out) DO NOTHING`
      }).pipe(storeCall("SponsorHolds.noteCharge"))

    const chargeOf: SponsorHolds["Service"]["chargeOf"] = (request, amountOut) =>
      sql`SELECT charge FROM sponsor_charges WHERE request_id = ${request} AND amount_out = ${amountOut.toString()}`
        .pipe(
          Effect.flatMap(decodeCharges),
          Effect.map(([row]) => row?.charge),
          storeCall("SponsorHolds.chargeOf")
        )

    return SponsorHolds.of({
      ...placingHolds(sql, ledger),
      ...releasingHolds(sql, ledger),
      ...settlingHolds(sql, ledger),
      noteCharge,
      chargeOf,
      atAddress,
      awaited
    })
  })
)
