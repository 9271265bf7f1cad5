/** Submissions that are final, and those that a reorg undid. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Settlements } from "../../../../ports/store/orders/Settlements.ts"
import type { Submission } from "../../../../ports/store/orders/Settlements.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { storeCall } from "../../StoreCall.ts"
import { member, toMember } from "./MemberRows.ts"

const decodeMembers = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct(member)))

const decodeLinks = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ submission: Schema.NullOr(Hex32) })))

export const decodeDeposits = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ deposit: Hex32 })))

export const endedSubmissions = (sql: SqlClient.SqlClient) => {
  const readMembers = (id: Submission["id"]) =>
    Effect.flatMap(
      sql`SELECT deposit, order_id, attempts, failures FROM settlements WHERE submission = ${id} AND state = 'submitted' ORDER BY deposit`,
      decodeMembers
    )

  const members: Settlements["Service"]["members"] = (id) =>
    readMembers(id).pipe(Effect.map((rows) => rows.map(toMember)), storeCall("Settlements.members"))

  const end: Settlements["Service"]["end"] = (id, { checkAt, dueAt, failed, mostFailures, on, settled }, at) =>
    sql.withTransaction(Effect.gen(function*() {
      // The row is held until the end: of two workers that end it at once, the second finds it ended.
      const ended =
        yield* sql`UPDATE submissions SET state = 'ended', ended_at = ${at} WHERE id = ${id} AND state = 'open' RETURNING id`
      if (ended.length === 0) return []
      for (const { deposit } of yield* readMembers(id)) {
        const mine = sql`deposit = ${deposit} AND submission = ${id} AND state = 'submitted'`
        if (settled.has(deposit)) {
          yield* sql`UPDATE settlements SET state = 'settled', ended_at = ${at}, settled_chain = ${on.chainId}, settled_gate = ${on.gate},
            check_at = ${checkAt} WHERE ${mine}`
        } else {
          yield* sql`UPDATE settlements SET state = 'open', reason = 'not-carried-out', due_at = ${dueAt}, attempts = attempts + 1, looks_alike = 0,
            failures = failures + ${failed.has(deposit) ? 1 : 0} WHERE ${mine}`
        }
      }
      const refused = yield* decodeDeposits(
        yield* sql`UPDATE settlements SET state = 'refused', ended_at = ${at}
        WHERE submission = ${id} AND state = 'open' AND failures >= ${mostFailures} RETURNING deposit`
      )
      return refused.map(({ deposit }) => deposit)
    })).pipe(storeCall("Settlements.end"))

  const openAgain = Effect.fnUntraced(function*(id: Submission["id"], at: number) {
    // In no slot: those are for what is new.
    const opened =
      yield* sql`UPDATE submissions SET state = 'open', placed_at = COALESCE(placed_at, ${at}), ended_at = NULL
      WHERE id = ${id} AND state = 'ended' RETURNING id`
    yield* sql`UPDATE settlements SET state = 'submitted', reason = NULL, opened_at = ${at}, ended_at = NULL, check_at = NULL WHERE submission = ${id} AND state = 'settled'`
    return opened.length > 0
  })

  const reopen: Settlements["Service"]["reopen"] = (id, at) =>
    sql.withTransaction(openAgain(id, at)).pipe(storeCall("Settlements.reopen"))

  const undone: Settlements["Service"]["undone"] = ({ deposit }, at) =>
    sql.withTransaction(Effect.gen(function*() {
      const [link] = yield* decodeLinks(
        yield* sql`SELECT submission FROM settlements WHERE deposit = ${deposit} AND state = 'settled'`
      )
      if (link === undefined) return
      if (link.submission !== null) return yield* Effect.asVoid(openAgain(link.submission, at))
      yield* sql`UPDATE settlements SET state = 'open', reason = 'undone', due_at = ${at}, opened_at = ${at}, attempts = 0, looks_alike = 0, leased_until = 0, ended_at = NULL, check_at = NULL
        WHERE deposit = ${deposit} AND state = 'settled'`
    })).pipe(storeCall("Settlements.undone"))

  return { members, end, reopen, undone }
}
