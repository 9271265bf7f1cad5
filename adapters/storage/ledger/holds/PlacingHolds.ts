/** A sponsor's money is held: with its budget and its ledger, in one transaction. */
import { Data, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Ledger } from "../../../../ports/store/ledger/Ledger.ts"
import type { SponsorHolds } from "../../../../ports/store/ledger/SponsorHolds.ts"
import type { HoldOutcome, SponsorHold } from "../../../../ports/store/ledger/SponsorHolds.ts"
import { sponsorMovementId } from "../../../../src/domain/ledger/LedgerIds.ts"
import { hold as holdMovement } from "../../../../src/domain/ledger/Movements.ts"
import { LedgerCurrency } from "../../../../src/domain/ledger/Transaction.ts"
import { utcDay } from "../../../../src/domain/calendar/Day.ts"
import { spend, spendLater } from "../BudgetSpent.ts"
import { JsonText } from "../../engine/Columns.ts"
import { storeCall } from "../../StoreCall.ts"
import { lockHold } from "./HoldRows.ts"
import { holdMovements } from "./HoldMovements.ts"
import { addressSponsorships } from "./AddressSponsorships.ts"

const encodeCurrency = Schema.encodeEffect(JsonText(LedgerCurrency))

/** Takes back the transaction that it comes out of. */
class HoldRefused
  extends Data.TaggedError("HoldRefused")<{ readonly outcome: Exclude<HoldOutcome, "held" | "settled"> }>
{}

export const placingHolds = (sql: SqlClient.SqlClient, ledger: Ledger["Service"]) => {
  const { post } = holdMovements(ledger)
  const { laterOf } = addressSponsorships(sql)

  const claim = ({ claimant, request }: SponsorHold) =>
    sql`INSERT INTO sponsor_claims ${
      sql.insert({ request_id: request, claimant })
    } ON CONFLICT (request_id, claimant) DO NOTHING`

  /** A key that was revoked, or lost its wallet, since the quote spends nothing any more. */
  const checkLink = Effect.fnUntraced(function*({ key, wallet }: SponsorHold) {
    const linked = yield* sql`SELECT id FROM api_keys WHERE id = ${key} AND wallet = ${wallet} AND revoked_at IS NULL`
    if (linked.length === 0) return yield* new HoldRefused({ outcome: "not-linked" })
  })

  const place = Effect.fnUntraced(function*(asked: SponsorHold, round: number, at: number) {
    const { currency, key, recipient, request, units, wallet } = asked
    yield* checkLink(asked)
    const later = yield* laterOf(request, asked.at)
    const allowed = yield* spend(sql, { key, recipient, day: utcDay(at) }, units)
    const isWithin = allowed &&
      (later === undefined || (yield* spendLater(sql, { key, address: later.address, day: utcDay(at) }, later.worth)))
    if (!isWithin) return yield* new HoldRefused({ outcome: "budget-spent" })
    const movement = holdMovement({
      id: sponsorMovementId("hold", request, round),
      currency,
      wallet,
      request,
      held: units
    })
    yield* Effect.catchTag(
      post(movement, at),
      "LedgerRefused",
      (refused) =>
        refused.reason === "overdraft"
          ? Effect.fail(new HoldRefused({ outcome: "balance-too-low" }))
          : Effect.die(refused)
    )
    const row = {
      state: "open",
      round,
      key_id: key,
      wallet,
      recipient,
      currency: yield* encodeCurrency(currency),
      held: units.toString(),
      held_at: at,
      address: asked.at?.address ?? null,
      later: later?.worth.toString() ?? null
    }
    yield* sql`UPDATE sponsor_holds SET ${sql.update(row)} WHERE request_id = ${request}`
  })

  const hold: SponsorHolds["Service"]["hold"] = (asked, at) =>
    sql.withTransaction(Effect.gen(function*() {
      const { round, state } = yield* lockHold(sql, asked.request)
      if (state === "settled") return "settled" as const
      if (state !== "open") yield* place(asked, round + 1, at)
      yield* claim(asked)
      return "held" as const
    })).pipe(
      // A refusal is an answer, not a failure of the store.
      Effect.catchTag("HoldRefused", ({ outcome }) => Effect.succeed(outcome)),
      storeCall("SponsorHolds.hold")
    )

  return { hold }
}
