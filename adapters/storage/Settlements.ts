/** Settlements and submissions in SQL, one text for both engines: claimed by workers for a time, submitted in a slot. */
import { Data, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { MOST_UNDER_WAY, Settlements } from "../../ports/Settlements.ts"
import type { ClaimedSettlement, Submission } from "../../ports/Settlements.ts"
import { ChainId } from "../../src/domain/chain/ChainId.ts"
import { Hex, Hex32 } from "../../src/domain/chain/Hex.ts"
import { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../src/domain/order/Order.ts"
import { JsonText, Millis, SqlCount, SqlInt } from "./engine/Columns.ts"
import { storeCall } from "./StoreCall.ts"

const State = Schema.Literals(["open", "submitted", "settled", "refused", "excluded"])

const member = { deposit: Hex32, order_id: OrderId, attempts: SqlCount, failures: SqlCount }
const decodeMembers = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct(member)))
const decodeDue = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ ...member, leased_until: Millis })))

const Calls = JsonText(Schema.Array(Schema.Struct({
  idempotencyKey: Hex32,
  actions: Schema.Array(Hex),
  signatures: Schema.Array(Hex)
})))
const encodeCalls = Schema.encodeEffect(Calls)
const decodeSubmissions = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  id: Hex32,
  chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)),
  calls: Calls,
  created_at: Millis
})))
const decodeSlots = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ slot: SqlCount })))
const decodeRecorded = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  deposit: Hex32, state: State, reason: Schema.NullOr(Schema.String), transaction_id: Schema.NullOr(TransactionId)
})))
const decodeOpen = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  state: Schema.Literals(["open", "submitted", "refused"]), count: SqlCount, oldest: Millis
})))
const decodeDeposits = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ deposit: Hex32 })))

/** What keeps a submission from being made takes back all of its transaction. */
class NotMade extends Data.TaggedError("NotMade") {}

const toMember = ({ attempts, deposit, failures, order_id }: Schema.Struct<typeof member>["Type"]) => ({ deposit, orderId: order_id, attempts, failures })

/**
 * What a deposit leaves to settle once it is closed: in the transaction that closes it. One that is closed again, because a
 * reorganisation undid it, is settled again unless the hub has it: the key is the deposit's, however it was paid.
 */
export const openSettlement = (sql: SqlClient.SqlClient, onchainId: Hex32, sighting: number) =>
  sql`INSERT INTO settlements (deposit, order_id, state, attempts, failures, due_at, leased_until, created_at)
      SELECT onchain_id, deposit_id, 'open', 0, 0, 0, 0, seen_at FROM deposits
      WHERE onchain_id = ${onchainId} AND sighting = ${sighting} AND state IN ('filled', 'refunded')
      ON CONFLICT (deposit) DO UPDATE SET state = 'open', reason = NULL, attempts = 0, failures = 0, due_at = 0
        WHERE settlements.state IN ('refused', 'excluded')`

export const layer = Layer.effect(
  Settlements,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const claim: Settlements["Service"]["claim"] = Effect.fnUntraced(function*(now, leasedUntil, limit) {
      const due = yield* decodeDue(
        yield* sql`SELECT deposit, order_id, attempts, failures, leased_until FROM settlements
            WHERE state = 'open' AND due_at <= ${now} AND leased_until <= ${now} ORDER BY due_at, deposit LIMIT ${limit}`
      )
      const claimed: Array<ClaimedSettlement> = []
      for (const row of due) {
        // Conditional on what was read: of two workers on a shared store, the second finds nothing to update.
        const taken = yield* sql`UPDATE settlements SET leased_until = ${leasedUntil}
          WHERE deposit = ${row.deposit} AND state = 'open' AND leased_until = ${row.leased_until} RETURNING deposit`
        if (taken.length > 0) claimed.push({ ...toMember(row), leasedUntil })
      }
      return claimed
    }, storeCall("Settlements.claim"))

    const conclude: Settlements["Service"]["conclude"] = ({ deposit, leasedUntil }, conclusion, at) => {
      const mine = sql`deposit = ${deposit} AND state = 'open' AND leased_until = ${leasedUntil}`
      const write = conclusion._tag === "Later"
        ? sql`UPDATE settlements SET reason = ${conclusion.reason}, attempts = attempts + 1, due_at = ${conclusion.dueAt}, leased_until = 0 WHERE ${mine}`
        : sql`UPDATE settlements SET state = ${conclusion._tag.toLowerCase()}, reason = ${conclusion._tag === "Refused" ? conclusion.reason : null}, leased_until = 0, ended_at = ${at} WHERE ${mine}`
      return Effect.asVoid(write).pipe(storeCall("Settlements.conclude"))
    }

    /** A slot that is free, or none. */
    const freeSlot = Effect.gen(function*() {
      const taken = new Set((yield* decodeSlots(yield* sql`SELECT slot FROM submissions WHERE state = 'open'`)).map(({ slot }) => slot))
      return Array.from({ length: MOST_UNDER_WAY }, (_, slot) => slot).find((slot) => !taken.has(slot))
    })

    const hasRoom = Effect.map(freeSlot, (slot) => slot !== undefined).pipe(storeCall("Settlements.hasRoom"))

    const submit: Settlements["Service"]["submit"] = ({ calls, chainId, createdAt, id }, members) =>
      sql.withTransaction(Effect.gen(function*() {
        const slot = yield* freeSlot
        if (slot === undefined) return yield* Effect.fail(new NotMade())
        const row = { id, chain_id: chainId, calls: yield* encodeCalls(calls), slot, state: "open", created_at: createdAt }
        const made = yield* sql`INSERT INTO submissions ${sql.insert(row)} ON CONFLICT DO NOTHING RETURNING id`
        if (made.length === 0) return yield* Effect.fail(new NotMade())
        for (const { deposit, leasedUntil } of members) {
          const taken = yield* sql`UPDATE settlements SET state = 'submitted', submission = ${id}, reason = NULL, leased_until = 0
            WHERE deposit = ${deposit} AND state = 'open' AND leased_until = ${leasedUntil} RETURNING deposit`
          if (taken.length === 0) return yield* Effect.fail(new NotMade())
        }
        return true
      })).pipe(
        Effect.catchTag("NotMade", () => Effect.succeed(false)),
        storeCall("Settlements.submit")
      )

    const underWay = sql`SELECT id, chain_id, calls, created_at FROM submissions WHERE state = 'open'
        UNION SELECT s.id, s.chain_id, s.calls, s.created_at FROM payments p JOIN submissions s ON s.id = p.order_id
          WHERE p.leg = 'settlement' AND p.state IN ('signed', 'sent')
        ORDER BY created_at, id`.pipe(
      Effect.flatMap(decodeSubmissions),
      Effect.map((rows) => rows.map(({ chain_id, created_at, ...row }): Submission => ({ ...row, chainId: chain_id, createdAt: created_at }))),
      storeCall("Settlements.underWay")
    )

    const readMembers = (id: Submission["id"]) =>
      Effect.flatMap(sql`SELECT deposit, order_id, attempts, failures FROM settlements WHERE submission = ${id} AND state = 'submitted' ORDER BY deposit`, decodeMembers)

    const members: Settlements["Service"]["members"] = (id) =>
      readMembers(id).pipe(Effect.map((rows) => rows.map(toMember)), storeCall("Settlements.members"))

    const end: Settlements["Service"]["end"] = (id, { dueAt, failed, mostFailures, settled }, at) =>
      sql.withTransaction(Effect.gen(function*() {
        // The row is held until the end: of two workers that end it at once, the second finds it ended.
        const ended = yield* sql`UPDATE submissions SET state = 'ended', ended_at = ${at} WHERE id = ${id} AND state = 'open' RETURNING id`
        if (ended.length === 0) return []
        for (const { deposit } of yield* readMembers(id)) {
          const mine = sql`deposit = ${deposit} AND submission = ${id} AND state = 'submitted'`
          if (settled.has(deposit)) yield* sql`UPDATE settlements SET state = 'settled', ended_at = ${at} WHERE ${mine}`
          else {
            yield* sql`UPDATE settlements SET state = 'open', reason = 'not-carried-out', due_at = ${dueAt}, attempts = attempts + 1,
              failures = failures + ${failed.has(deposit) ? 1 : 0} WHERE ${mine}`
          }
        }
        const refused = yield* decodeDeposits(yield* sql`UPDATE settlements SET state = 'refused', ended_at = ${at}
          WHERE submission = ${id} AND state = 'open' AND failures >= ${mostFailures} RETURNING deposit`)
        return refused.map(({ deposit }) => deposit)
      })).pipe(storeCall("Settlements.end"))

    const retry: Settlements["Service"]["retry"] = (orderId, at) =>
      sql`UPDATE settlements SET state = 'open', reason = NULL, attempts = 0, failures = 0, due_at = ${at}, leased_until = 0, ended_at = NULL
          WHERE order_id = ${orderId} AND state = 'refused' RETURNING deposit`.pipe(
        Effect.map((reopened) => reopened.length),
        storeCall("Settlements.retry")
      )

    const ofOrder: Settlements["Service"]["ofOrder"] = (orderId) =>
      sql`SELECT s.deposit, s.state, s.reason, p.transaction_id FROM settlements s
          LEFT JOIN payments p ON p.order_id = s.submission AND p.leg = 'settlement' AND p.state <> 'void'
          WHERE s.order_id = ${orderId} ORDER BY s.created_at, s.deposit`.pipe(
        Effect.flatMap(decodeRecorded),
        Effect.map((rows) => rows.map(({ transaction_id, ...row }) => ({ ...row, transactionId: transaction_id }))),
        storeCall("Settlements.ofOrder")
      )

    const open = sql`SELECT state, COUNT(*) AS count, MIN(created_at) AS oldest FROM settlements
        WHERE state IN ('open', 'submitted', 'refused') GROUP BY state ORDER BY state`.pipe(
      Effect.flatMap(decodeOpen),
      storeCall("Settlements.open")
    )

    return Settlements.of({ claim, conclude, submit, hasRoom, underWay, members, end, retry, ofOrder, open })
  })
)
