/** A hold is settled once its fill is final: what is due is captured, what is left goes back. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Ledger } from "../../../../ports/store/ledger/Ledger.ts"
import type { SponsorHolds } from "../../../../ports/store/ledger/SponsorHolds.ts"
import type { Settlement } from "../../../../ports/store/ledger/SponsorHolds.ts"
import { sponsorMovementId } from "../../../../src/domain/ledger/LedgerIds.ts"
import { MicroUsdc, MicroUsdcFromString } from "../../../../src/domain/ledger/MicroUsdc.ts"
import { bookReceivable, capture } from "../../../../src/domain/ledger/Movements.ts"
import { minOf } from "../../../../src/domain/money/Rounding.ts"
import { utcDay } from "../../../../src/domain/calendar/Day.ts"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { giveBack, giveBackLater } from "../BudgetSpent.ts"
import { JsonText, UintText } from "../../engine/Columns.ts"
import { Charge } from "../../../../src/domain/sponsorship/Charge.ts"
import { storeCall } from "../../StoreCall.ts"
import type { Open } from "./HoldRows.ts"
import { isOpen, lockHold } from "./HoldRows.ts"
import { holdMovements } from "./HoldMovements.ts"
import { addressSponsorships } from "./AddressSponsorships.ts"

/** With the rent that was really paid, where the chain told. */
const SettledCharge = JsonText(
  Schema.Struct({ ...Charge.fields, rentPaid: Schema.optionalKey(Schema.BigIntFromString) })
)

/** How a request's sponsorship ended, as columns. */
export const SettledRow = Schema.Struct({ charge: SettledCharge, gas_paid: UintText, captured: MicroUsdcFromString })

const encodeSettled = Schema.encodeEffect(SettledCharge)

const decodeSettled = Schema.decodeUnknownEffect(Schema.Array(SettledRow))

export const settlingHolds = (sql: SqlClient.SqlClient, ledger: Ledger["Service"]) => {
  const { postKnown } = holdMovements(ledger)
  const { freeSponsorship } = addressSponsorships(sql)

  /** Takes what is due of an open hold; what is left goes back. */
  const take = Effect.fnUntraced(
    function*(request: RequestId, open: Open, { captured: due, charge }: Settlement, at: number) {
      const { address, currency, held, held_at, key_id: key, later, recipient, round, wallet } = open
      const captured = MicroUsdc(minOf(held, due))
      // Who had it and did not need it: what was filled for it was the user's to pay.
      if (address !== null && later === null && charge.payer === "user") yield* freeSponsorship(request, address)
      yield* giveBack(sql, { key, recipient, day: utcDay(held_at) }, held - captured)
      if (address !== null && later !== null) {
        yield* giveBackLater(
          sql,
          { key, address, day: utcDay(held_at) },
          charge.payer === "user" ? later : held - captured
        )
      }
      yield* postKnown(
        capture({ id: sponsorMovementId("capture", request, round), currency, wallet, request, held, captured }),
        at
      )
      return captured
    }
  )

  const promiseOwed = Effect.fnUntraced(function*({ currency, owed, request, wallet }: Settlement, at: number) {
    if (owed.length > 0) {
      yield* postKnown(
        bookReceivable({ id: sponsorMovementId("receivable", request, 0), currency, wallet, shares: owed }),
        at
      )
    }
  })

  const settle: SponsorHolds["Service"]["settle"] = (settlement, at) =>
    sql.withTransaction(Effect.gen(function*() {
      const { charge, gasPaid, rentPaid, request } = settlement
      const row = yield* lockHold(sql, request)
      if (row.state === "settled") {
        const [known] = yield* decodeSettled(
          yield* sql`SELECT charge, gas_paid, captured FROM sponsor_settlements WHERE request_id = ${request}`
        )
        return known?.captured ?? MicroUsdc(0n)
      }
      const captured = isOpen(row) ? yield* take(request, row, settlement, at) : MicroUsdc(0n)
      yield* promiseOwed(settlement, at)
      const kept = yield* encodeSettled(rentPaid === undefined ? charge : { ...charge, rentPaid })
      const settled = {
        request_id: request,
        charge: kept,
        gas_paid: gasPaid.toString(),
        captured: captured.toString(),
        settled_at: at
      }
      yield* sql`INSERT INTO sponsor_settlements ${sql.insert(settled)}`
      yield* sql`UPDATE sponsor_holds SET state = 'settled' WHERE request_id = ${request}`
      yield* sql`DELETE FROM sponsor_claims WHERE request_id = ${request}`
      return captured
    })).pipe(storeCall("SponsorHolds.settle"))

  const settled: SponsorHolds["Service"]["settled"] = (request) =>
    sql`SELECT charge, gas_paid, captured FROM sponsor_settlements WHERE request_id = ${request}`.pipe(
      Effect.flatMap(decodeSettled),
      Effect.map(([row]) => {
        if (row === undefined) return undefined
        const { captured, charge: { rentPaid, ...charge }, gas_paid: gasPaid } = row
        return { charge, gasPaid, rentPaid, captured }
      }),
      storeCall("SponsorHolds.settled")
    )

  return { settle, settled }
}
