/** Settlements that are due: claimed by a worker for a time, and concluded by it. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Settlements } from "../../../../ports/store/orders/Settlements.ts"
import type { ClaimedSettlement } from "../../../../ports/store/orders/Settlements.ts"
import { Millis, SqlCount } from "../../engine/Columns.ts"
import { storeCall } from "../../StoreCall.ts"
import { member, toMember } from "./MemberRows.ts"

const Due = Schema.Struct({
  ...member,
  looked_reason: Schema.NullOr(Schema.String),
  looks_alike: SqlCount,
  leased_until: Millis
})

const decodeDue = Schema.decodeUnknownEffect(Schema.Array(Due))

const decodeNext = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ due_at: Schema.NullOr(Millis) })))

const toClaimed = (
  { looked_reason, looks_alike, ...row }: typeof Due.Type,
  leasedUntil: number
): ClaimedSettlement => ({
  ...toMember(row),
  alike: looked_reason === null ? undefined : { reason: looked_reason, looks: looks_alike },
  leasedUntil
})

export const claimedSettlements = (sql: SqlClient.SqlClient) => {
  const claim: Settlements["Service"]["claim"] = Effect.fnUntraced(function*(now, leasedUntil, limit) {
    const due = yield* decodeDue(
      yield* sql`SELECT deposit, order_id, attempts, looked_reason, looks_alike, failures, leased_until FROM settlements
          WHERE state = 'open' AND due_at <= ${now} AND leased_until <= ${now} ORDER BY due_at, deposit LIMIT ${limit}`
    )
    const claimed: Array<ClaimedSettlement> = []
    for (const row of due) {
      // Conditional on what was read: of two workers on a shared store, the second finds nothing to update.
      const taken = yield* sql`UPDATE settlements SET leased_until = ${leasedUntil}
        WHERE deposit = ${row.deposit} AND state = 'open' AND leased_until = ${row.leased_until} RETURNING deposit`
      if (taken.length > 0) claimed.push(toClaimed(row, leasedUntil))
    }
    return claimed
  }, storeCall("Settlements.claim"))

  const nextDue: Settlements["Service"]["nextDue"] = (until) =>
    sql`SELECT MIN(CASE WHEN leased_until > due_at THEN leased_until ELSE due_at END) AS due_at FROM settlements
        WHERE state = 'open' AND due_at <= ${until} AND leased_until <= ${until}`.pipe(
      Effect.flatMap(decodeNext),
      Effect.map(([row]) => row?.due_at ?? undefined),
      storeCall("Settlements.nextDue")
    )

  const conclude: Settlements["Service"]["conclude"] = ({ deposit, leasedUntil }, conclusion, at) => {
    const mine = sql`deposit = ${deposit} AND state = 'open' AND leased_until = ${leasedUntil}`
    const ended = (state: string, reason: string | null) =>
      sql`UPDATE settlements SET state = ${state}, reason = ${reason}, leased_until = 0, ended_at = ${at} WHERE ${mine}`
    const write = () => {
      switch (conclusion._tag) {
        case "Later":
          return sql`UPDATE settlements SET reason = ${conclusion.reason}, attempts = attempts + 1, due_at = ${conclusion.dueAt}, leased_until = 0,
            looks_alike = CASE WHEN looked_reason = ${conclusion.reason} THEN looks_alike + 1 ELSE 1 END, looked_reason = ${conclusion.reason} WHERE ${mine}`
        case "Unreached":
          return sql`UPDATE settlements SET reason = ${conclusion.reason}, due_at = ${conclusion.dueAt}, leased_until = 0 WHERE ${mine}`
        case "Settled":
          return sql`UPDATE settlements SET state = 'settled', reason = NULL, leased_until = 0, ended_at = ${at}, settled_chain = ${conclusion.on.chainId},
            settled_gate = ${conclusion.on.gate}, check_at = ${conclusion.checkAt} WHERE ${mine}`
        case "Excluded":
          return ended("excluded", null)
        case "Refused":
          return ended("refused", conclusion.reason)
      }
    }
    return Effect.asVoid(write()).pipe(storeCall("Settlements.conclude"))
  }

  return { claim, nextDue, conclude }
}
