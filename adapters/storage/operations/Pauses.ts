/** Pauses in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeRecentRead } from "../../../ports/store/operations/RecentRead.ts"
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

    const { heard } = yield* StoreNotices

    const reading = sql`SELECT id, scope, reason, created_at FROM pauses ORDER BY created_at, id`

    const read = Effect.flatMap(
      Effect.suspend(() => directRead(sql, reading)),
      (rows) =>
        Effect.mapEager(
          rows.length === 0 ? Effect.succeed([]) : decodeRows(rows),
          (decoded) => decoded.length === 0 ? none : decoded.map(toPause)
        )
    ).pipe(storeCall("Pauses.all"))

    const { forget, fresh, recent } = makeRecentRead(yield* SlowPoll, heard("pauses"), () => read)

    const add: Pauses["Service"]["add"] = ({ createdAt, id, reason, scope }) =>
      Effect.gen(function*() {
        const row = { id, scope: yield* encodeScope(scope), reason, created_at: createdAt }
        yield* sql`INSERT INTO pauses ${sql.insert(row)} ON CONFLICT (id) DO NOTHING`
        forget()
        const [kept] = yield* decodeRows(yield* sql`SELECT id, scope, reason, created_at FROM pauses WHERE id = ${id}`)
        return kept === undefined ? { createdAt, id, reason, scope } : toPause(kept)
      }).pipe(storeCall("Pauses.add"))

    const remove: Pauses["Service"]["remove"] = (id) =>
      sql`DELETE FROM pauses WHERE id = ${id} RETURNING id`.pipe(
        Effect.map((rows) => {
          forget()
          return rows.length > 0
        }),
        storeCall("Pauses.remove")
      )

    return Pauses.of({ all: fresh, recent, add, remove })
  })
).pipe(Layer.provide(SqlStoreNotices.layer))
