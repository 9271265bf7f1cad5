/** Submissions under way, each in a slot of its chain. */
import { Data, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { MOST_UNDER_WAY, MOST_UNFINAL } from "../../../../ports/store/orders/Settlements.ts"
import type { Submission, Settlements } from "../../../../ports/store/orders/Settlements.ts"
import { Address } from "../../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { Hex, Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { JsonText, Millis, SqlCount, SqlInt } from "../../engine/Columns.ts"
import { storeCall } from "../../StoreCall.ts"

const Calls = JsonText(Schema.Array(Schema.Struct({
  idempotencyKey: Hex32,
  actions: Schema.Array(Hex),
  signatures: Schema.Array(Hex),
  oracle: Schema.optional(Address)
})))

const encodeCalls = Schema.encodeEffect(Calls)

export const Chain = SqlInt.pipe(Schema.decodeTo(ChainId))

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

/** What keeps a submission from being made takes back all of its transaction. */
class NotMade extends Data.TaggedError("NotMade") {}

export const submissions = (sql: SqlClient.SqlClient) => {
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

  const underWay = sql`SELECT s.id, s.chain_id, ${gate}, s.calls, s.created_at FROM submissions s WHERE s.state = 'open'
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

  return { hasRoom, placed, submit, underWay }
}
