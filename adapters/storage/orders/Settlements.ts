/**
 * Settlements and submissions in SQL, one text for both engines: claimed by workers for a time, submitted in a slot.
 */
import { Data, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { MOST_UNDER_WAY, MOST_UNFINAL, Settlements } from "../../../ports/store/orders/Settlements.ts"
import type { ClaimedSettlement, SettledAt, Submission } from "../../../ports/store/orders/Settlements.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { JsonText, Millis, SqlCount, SqlInt } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const State = Schema.Literals(["open", "submitted", "settled", "refused", "excluded"])

const member = { deposit: Hex32, order_id: OrderId, attempts: SqlCount, failures: SqlCount }
const Due = Schema.Struct({
  ...member,
  looked_reason: Schema.NullOr(Schema.String),
  looks_alike: SqlCount,
  leased_until: Millis
})
const decodeMembers = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct(member)))
const decodeDue = Schema.decodeUnknownEffect(Schema.Array(Due))

const Calls = JsonText(Schema.Array(Schema.Struct({
  idempotencyKey: Hex32,
  actions: Schema.Array(Hex),
  signatures: Schema.Array(Hex),
  oracle: Schema.optional(Address)
})))
const encodeCalls = Schema.encodeEffect(Calls)
const Chain = SqlInt.pipe(Schema.decodeTo(ChainId))
const decodeSubmissions = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  id: Hex32,
  chain_id: Chain,
  gate: Schema.NullOr(Address),
  calls: Calls,
  created_at: Millis
})))
const decodeSlots = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ slot: SqlCount, placed_at: Schema.NullOr(Millis) }))
)
const decodeSettled = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  deposit: Hex32,
  order_id: OrderId,
  settled_chain: Chain,
  settled_gate: Address,
  ended_at: Millis,
  check_at: Millis
})))
const decodeOverdue = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  count: SqlCount,
  oldest: Schema.NullOr(Millis),
  newest: Schema.NullOr(Millis)
})))
const decodeRecorded = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  deposit: Hex32,
  state: State,
  reason: Schema.NullOr(Schema.String),
  transaction_id: Schema.NullOr(TransactionId)
})))
const decodeOpen = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  state: Schema.Literals(["open", "submitted", "refused"]),
  count: SqlCount,
  oldest: Millis
})))
const decodeLinks = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ submission: Schema.NullOr(Hex32) })))
const decodeDeposits = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ deposit: Hex32 })))

/** What keeps a submission from being made takes back all of its transaction. */
class NotMade extends Data.TaggedError("NotMade") {}

const toMember = ({ attempts, deposit, failures, order_id }: Schema.Struct<typeof member>["Type"]) => ({
  deposit,
  orderId: order_id,
  attempts,
  failures
})

const toClaimed = (
  { looked_reason, looks_alike, ...row }: typeof Due.Type,
  leasedUntil: number
): ClaimedSettlement => ({
  ...toMember(row),
  alike: looked_reason === null ? undefined : { reason: looked_reason, looks: looks_alike },
  leasedUntil
})

/**
 * What a deposit leaves to settle once it is closed: in the transaction that closes it. One that is closed again,
 * because a reorganisation undid it, is settled again unless the hub has it: the key is the deposit's, however it was
 * paid.
 */
export const openSettlement = (sql: SqlClient.SqlClient, onchainId: Hex32, sighting: number, at: number) =>
  sql`INSERT INTO settlements (deposit, order_id, state, attempts, failures, due_at, leased_until, created_at, opened_at)
      SELECT onchain_id, deposit_id, 'open', 0, 0, 0, 0, seen_at, CAST(${at} AS BIGINT) FROM deposits
      WHERE onchain_id = ${onchainId} AND sighting = ${sighting} AND state IN ('filled', 'refunded')
      ON CONFLICT (deposit) DO UPDATE SET state = 'open', reason = NULL, attempts = 0, looks_alike = 0, failures = 0, due_at = 0, opened_at = CAST(${at} AS BIGINT)
        WHERE settlements.state IN ('refused', 'excluded')`

export const layer = Layer.effect(
  Settlements,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** A former version kept only when the deposit was seen. */
    const openedAt = sql.literal("COALESCE(opened_at, created_at)")

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

    /** A slot that is free on the chain, or none. */
    const freeSlot = Effect.fnUntraced(function*(chainId: ChainId) {
      const open = yield* decodeSlots(
        yield* sql`SELECT slot, placed_at FROM submissions WHERE chain_id = ${chainId} AND state = 'open'`
      )
      if (open.length >= MOST_UNFINAL) return undefined
      const taken = new Set(open.flatMap(({ placed_at, slot }) => placed_at === null ? [slot] : []))
      return Array.from({ length: MOST_UNDER_WAY }, (_, slot) => slot).find((slot) => !taken.has(slot))
    })

    const hasRoom: Settlements["Service"]["hasRoom"] = (chainId) =>
      Effect.map(freeSlot(chainId), (slot) => slot !== undefined).pipe(storeCall("Settlements.hasRoom"))

    const placed: Settlements["Service"]["placed"] = (id, at) =>
      sql`UPDATE submissions SET placed_at = ${at} WHERE id = ${id} AND state = 'open' AND placed_at IS NULL`.pipe(
        Effect.asVoid,
        storeCall("Settlements.placed")
      )

    const submit: Settlements["Service"]["submit"] = ({ calls, chainId, createdAt, gate, id }, members) =>
      sql.withTransaction(Effect.gen(function*() {
        const slot = yield* freeSlot(chainId)
        if (slot === undefined) return yield* Effect.fail(new NotMade())
        const row = {
          id,
          chain_id: chainId,
          gate,
          calls: yield* encodeCalls(calls),
          slot,
          state: "open",
          created_at: createdAt
        }
        const made = yield* sql`INSERT INTO submissions ${sql.insert(row)} ON CONFLICT DO NOTHING RETURNING id`
        if (made.length === 0) return yield* Effect.fail(new NotMade())
        for (const { deposit, leasedUntil } of members) {
          const taken =
            yield* sql`UPDATE settlements SET state = 'submitted', submission = ${id}, reason = NULL, leased_until = 0
            WHERE deposit = ${deposit} AND state = 'open' AND leased_until = ${leasedUntil} RETURNING deposit`
          if (taken.length === 0) return yield* Effect.fail(new NotMade())
        }
        return true
      })).pipe(
        Effect.catchTag("NotMade", () => Effect.succeed(false)),
        storeCall("Settlements.submit")
      )

    // A former version kept no gate with it; what is signed goes there.
    const gate =
      sql`COALESCE(s.gate, (SELECT MIN(g.recipient) FROM payments g WHERE g.order_id = s.id AND g.leg = 'settlement')) AS gate`

    const underWay =
      sql`SELECT s.id, s.chain_id, ${gate}, s.calls, s.created_at FROM submissions s WHERE s.state = 'open'
        UNION SELECT s.id, s.chain_id, ${gate}, s.calls, s.created_at FROM payments p JOIN submissions s ON s.id = p.order_id
          WHERE p.leg = 'settlement' AND p.state IN ('signed', 'sent')
        ORDER BY created_at, id`.pipe(
        Effect.flatMap(decodeSubmissions),
        Effect.map((rows) =>
          rows.map(({ chain_id, created_at, gate, ...row }): Submission => ({
            ...row,
            chainId: chain_id,
            gate: gate ?? undefined,
            createdAt: created_at
          }))
        ),
        storeCall("Settlements.underWay")
      )

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

    const toCheck: Settlements["Service"]["toCheck"] = (now, limit) =>
      sql`SELECT deposit, order_id, settled_chain, settled_gate, ended_at, check_at FROM settlements
          WHERE check_at IS NOT NULL AND check_at <= ${now} AND state = 'settled' ORDER BY check_at, deposit LIMIT ${limit}`
        .pipe(
          Effect.flatMap(decodeSettled),
          Effect.map((rows) =>
            rows.map(({ check_at, deposit, ended_at, order_id, settled_chain, settled_gate }): SettledAt => ({
              deposit,
              orderId: order_id,
              chainId: settled_chain,
              gate: settled_gate,
              settledAt: ended_at,
              checkAt: check_at
            }))
          ),
          storeCall("Settlements.toCheck")
        )

    // Conditional on what was read: one that was settled anew meanwhile is looked at in its own time.
    const checked: Settlements["Service"]["checked"] = ({ checkAt, deposit }, next) =>
      sql`UPDATE settlements SET check_at = ${
        next ?? null
      } WHERE deposit = ${deposit} AND state = 'settled' AND check_at = ${checkAt}`.pipe(
        Effect.asVoid,
        storeCall("Settlements.checked")
      )

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

    const adopt: Settlements["Service"]["adopt"] = (limit, at) =>
      sql.withTransaction(Effect.gen(function*() {
        const found = yield* sql`UPDATE deposits SET has_settlement = 1
          WHERE onchain_id IN (SELECT onchain_id FROM deposits
              WHERE state IN ('filled', 'refunded') AND has_settlement IS NULL ORDER BY onchain_id LIMIT ${limit})
            AND state IN ('filled', 'refunded')
          RETURNING onchain_id AS deposit`
        const deposits = (yield* decodeDeposits(found)).map(({ deposit }) => deposit)
        if (deposits.length === 0) return 0
        const opened =
          yield* sql`INSERT INTO settlements (deposit, order_id, state, attempts, failures, due_at, leased_until, created_at, opened_at)
          SELECT onchain_id, deposit_id, 'open', 0, 0, 0, 0, seen_at, CAST(${at} AS BIGINT) FROM deposits WHERE ${
            sql.in("onchain_id", deposits)
          }
          ON CONFLICT (deposit) DO NOTHING RETURNING deposit`
        return opened.length
      })).pipe(storeCall("Settlements.adopt"))

    const overdue: Settlements["Service"]["overdue"] = (after, upTo) =>
      sql`SELECT COUNT(*) AS count, MIN(${openedAt}) AS oldest, MAX(${openedAt}) AS newest FROM settlements
          WHERE state IN ('open', 'submitted') AND ${openedAt} > ${after} AND ${openedAt} <= ${upTo}`.pipe(
        Effect.flatMap(decodeOverdue),
        Effect.map(([row]) =>
          row === undefined || row.oldest === null || row.newest === null
            ? undefined
            : { count: row.count, oldest: row.oldest, newest: row.newest }
        ),
        storeCall("Settlements.overdue")
      )

    const retry: Settlements["Service"]["retry"] = (orderId, at) =>
      sql`UPDATE settlements SET state = 'open', reason = NULL, attempts = 0, looks_alike = 0, failures = 0, due_at = ${at}, opened_at = ${at}, leased_until = 0, ended_at = NULL
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

    const open = sql`SELECT state, COUNT(*) AS count, MIN(${openedAt}) AS oldest FROM settlements
        WHERE state IN ('open', 'submitted', 'refused') GROUP BY state ORDER BY state`.pipe(
      Effect.flatMap(decodeOpen),
      storeCall("Settlements.open")
    )

    return Settlements.of({
      claim,
      conclude,
      submit,
      hasRoom,
      placed,
      underWay,
      members,
      end,
      toCheck,
      checked,
      undone,
      reopen,
      adopt,
      overdue,
      retry,
      ofOrder,
      open
    })
  })
)
