/** Sessions in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Sessions } from "../../../ports/store/clients/Sessions.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { subjectKey } from "../../../src/domain/session/Session.ts"
import { Millis } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const decodeRows = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ wallet: Schema.NullOr(Address), started_at: Millis, expires_at: Millis }))
)

export const layer = Layer.effect(
  Sessions,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const add: Sessions["Service"]["add"] = (hash, { expiresAt, startedAt, subject }, most) =>
      sql.withTransaction(Effect.gen(function*() {
        const row = {
          hash,
          subject: subjectKey(subject),
          wallet: subject._tag === "Wallet" ? subject.wallet : null,
          started_at: startedAt,
          expires_at: expiresAt
        }
        yield* sql`DELETE FROM dashboard_sessions WHERE expires_at <= ${startedAt}`
        yield* sql`INSERT INTO dashboard_sessions ${sql.insert(row)}`
        yield* sql`DELETE FROM dashboard_sessions WHERE subject = ${row.subject} AND hash NOT IN (
          SELECT hash FROM dashboard_sessions WHERE subject = ${row.subject} ORDER BY started_at DESC, hash LIMIT ${most})`
      })).pipe(storeCall("Sessions.add"))

    const find: Sessions["Service"]["find"] = (hash, now) =>
      sql`SELECT wallet, started_at, expires_at FROM dashboard_sessions WHERE hash = ${hash} AND expires_at > ${now}`
        .pipe(
          Effect.flatMap(decodeRows),
          Effect.map(([row]) =>
            row === undefined ? undefined : {
              subject: row.wallet === null
                ? { _tag: "Operator" as const }
                : { _tag: "Wallet" as const, wallet: row.wallet },
              startedAt: row.started_at,
              expiresAt: row.expires_at
            }
          ),
          storeCall("Sessions.find")
        )

    const end: Sessions["Service"]["end"] = (hash) =>
      sql`DELETE FROM dashboard_sessions WHERE hash = ${hash}`.pipe(Effect.asVoid, storeCall("Sessions.end"))

    return Sessions.of({ add, find, end })
  })
)
