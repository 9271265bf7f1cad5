/** A hold is given back when none of its claimants wants it any more. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Ledger } from "../../../../ports/store/ledger/Ledger.ts"
import type { SponsorHolds } from "../../../../ports/store/ledger/SponsorHolds.ts"
import { sponsorMovementId } from "../../../../src/domain/ledger/LedgerIds.ts"
import { release as releaseMovement } from "../../../../src/domain/ledger/Movements.ts"
import { utcDay } from "../../../../src/domain/calendar/Day.ts"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { giveBack, giveBackLater } from "../BudgetSpent.ts"
import { storeCall } from "../../StoreCall.ts"
import type { Open } from "./HoldRows.ts"
import { isOpen, lockHold } from "./HoldRows.ts"
import { holdMovements } from "./HoldMovements.ts"
import { addressSponsorships } from "./AddressSponsorships.ts"

export const releasingHolds = (sql: SqlClient.SqlClient, ledger: Ledger["Service"]) => {
  const { postKnown } = holdMovements(ledger)
  const { freeSponsorship } = addressSponsorships(sql)

  const giveUp = Effect.fnUntraced(function*(request: RequestId, open: Open, at: number) {
    const { address, currency, held, held_at, key_id: key, later, recipient, round, wallet } = open
    if (address !== null && later === null) yield* freeSponsorship(request, address)
    yield* giveBack(sql, { key, recipient, day: utcDay(held_at) }, held)
    if (address !== null && later !== null) yield* giveBackLater(sql, { key, address, day: utcDay(held_at) }, later)
    yield* postKnown(
      releaseMovement({ id: sponsorMovementId("release", request, round), currency, wallet, request, held }),
      at
    )
  })

  const release: SponsorHolds["Service"]["release"] = (request, claimant, at) =>
    sql.withTransaction(Effect.gen(function*() {
      const row = yield* lockHold(sql, request)
      yield* sql`DELETE FROM sponsor_claims WHERE request_id = ${request} AND claimant = ${claimant}`
      const wanted = yield* sql`SELECT claimant FROM sponsor_claims WHERE request_id = ${request} LIMIT 1`
      if (!isOpen(row) || wanted.length > 0) return
      yield* giveUp(request, row, at)
      yield* sql`UPDATE sponsor_holds SET state = 'released' WHERE request_id = ${request}`
    })).pipe(storeCall("SponsorHolds.release"))

  return { release }
}
