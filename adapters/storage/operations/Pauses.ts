/** Pauses in SQL, one text for both engines. */
import { Clock, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { SlowPoll } from "../../../ports/store/operations/SlowPoll.ts"
import { StoreNotices } from "../../../ports/store/operations/StoreNotices.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { PauseScope } from "../../../src/domain/pause/Pause.ts"
import type { Pause } from "../../../src/domain/pause/Pause.ts"
import { JsonText, Millis } from "../engine/Columns.ts"
import { directRead } from "../engine/DirectReads.ts"
import * as SqlStoreNotices from "./StoreNotices.ts"
import { storeCall } from "../StoreCall.ts"

const ScopeJson = JsonText(PauseScope)
const Row = Schema.Struct({ id: Schema.String, scope: ScopeJson, reason: Schema.String, created_at: Millis })
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const encodeScope = Schema.encodeEffect(ScopeJson)

const toPause = ({ created_at, id, reason, scope }: typeof Row.Type): Pause => ({
  id,
  scope,
  reason,
  createdAt: created_at
})

const none: ReadonlyArray<Pause> = []

export const layer = Layer.effect(
  Pauses,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const notices = yield* StoreNotices
    const mostAge = Duration.toMillis(yield* SlowPoll)

    /**
     * What this process has read last. `readAt` is when it began to read it, in milliseconds, and `heard` the notices
     * of pauses by then.
     */
    let known: { readonly pauses: ReadonlyArray<Pause>; readonly readAt: number; readonly heard: number } | undefined

    const reading = sql`SELECT id, scope, reason, created_at FROM pauses ORDER BY created_at, id`

    // Every quote asks: so it takes as few steps as it can.
    const all = Clock.clockWith((clock) => {
      const readAt = clock.currentTimeMillisUnsafe()
      return Effect.flatMap(
        notices.heard("pauses"),
        (heard) =>
          Effect.flatMap(
            directRead(sql, reading),
            (rows) =>
              Effect.mapEager(rows.length === 0 ? Effect.succeed([]) : decodeRows(rows), (decoded) => {
                const pauses = decoded.length === 0 ? none : decoded.map(toPause)
                if (known === undefined || known.readAt <= readAt) {
                  known = { pauses, readAt, heard }
                }
                return pauses
              })
          )
      )
    }).pipe(storeCall("Pauses.all"))

    const recent = Effect.gen(function*() {
      const kept = known
      const age = (yield* Clock.currentTimeMillis) - (kept?.readAt ?? 0)
      const isNew = age >= 0 && age < mostAge && kept?.heard === (yield* notices.heard("pauses"))
      return kept !== undefined && isNew ? kept.pauses : yield* all
    })

    const add: Pauses["Service"]["add"] = ({ createdAt, id, reason, scope }) =>
      Effect.gen(function*() {
        const row = { id, scope: yield* encodeScope(scope), reason, created_at: createdAt }
        yield* sql`INSERT INTO pauses ${sql.insert(row)} ON CONFLICT (id) DO NOTHING`
        known = undefined
        const [kept] = yield* decodeRows(yield* sql`SELECT id, scope, reason, created_at FROM pauses WHERE id = ${id}`)
        return kept === undefined ? { createdAt, id, reason, scope } : toPause(kept)
      }).pipe(storeCall("Pauses.add"))

    const remove: Pauses["Service"]["remove"] = (id) =>
      sql`DELETE FROM pauses WHERE id = ${id} RETURNING id`.pipe(
        Effect.map((rows) => {
          known = undefined
          return rows.length > 0
        }),
        storeCall("Pauses.remove")
      )

    return Pauses.of({ all, recent, add, remove })
  })
).pipe(Layer.provide(SqlStoreNotices.layer))
