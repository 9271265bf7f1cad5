/**
 * The store that `DATABASE_URL` names, as effect's `SqlClient`: an embedded SQLite file that only this process owns, or
 * a PostgreSQL that several processes share. The few modules that depend on the engine read it from `Engine`.
 *
 * SECURITY: a database URL may hold a password; no error and no schema issue of this module repeats it.
 */
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import * as Lock from "./Lock.ts"
import type { Notices } from "./notices/Notices.ts"
import * as Postgres from "./Postgres.ts"
import * as PostgresNotices from "./notices/PostgresNotices.ts"
import * as Sqlite from "./Sqlite.ts"

/** The engine behind the `SqlClient`. */
export class Engine extends Context.Service<Engine, "sqlite" | "postgres">()("causeway/adapters/storage/Engine") {}

const isDatabaseUrl = (url: string): boolean => {
  if (url.startsWith("sqlite:")) return url.length > "sqlite:".length
  return /^postgres(ql)?:\/\//.test(url) && URL.canParse(url)
}

/** `sqlite:<path>` (`sqlite::memory:` for a store that ends with the process), `postgres://…` or `postgresql://…`. */
export const DatabaseUrl = Schema.RedactedFromValue(
  Schema.String.check(
    Schema.makeFilter((url: string) => isDatabaseUrl(url) ? undefined : "expected sqlite:<path> or a postgres:// URL")
  ),
  { label: "DatabaseUrl", disallowEncode: true }
)

/** The URL names no supported engine. */
export class InvalidDatabaseUrl extends Schema.TaggedError<InvalidDatabaseUrl>()("InvalidDatabaseUrl", {}) {
  override get message(): string {
    return "the database URL is neither sqlite:<path> nor a postgres:// URL (its text is withheld)"
  }
}

export type DatabaseError = InvalidDatabaseUrl | Lock.StoreInUse | SqlError.SqlError

export interface DatabaseOptions {
  /** PostgreSQL only. Default 10. */
  readonly maxConnections?: number
  /** SQLite only: reads the file while another process owns it, without taking the lock. */
  readonly readOnly?: boolean
}

const layerSqlite = (
  filename: string,
  readOnly: boolean
): Layer.Layer<SqlClient.SqlClient | Notices, Lock.StoreInUse | SqlError.SqlError> =>
  filename === ":memory:" || readOnly
    ? Sqlite.layer({ filename, readOnly })
    : Sqlite.layer({ filename }).pipe(Layer.provide(Lock.layer(filename)))

/**
 * The store at `url`. A SQLite file is locked for as long as the layer lives. Fails with `InvalidDatabaseUrl`, with
 * `StoreInUse` when another process has the file, and with `SqlError` when the store can not be opened or does not
 * answer.
 */
export const layerDatabase = (
  url: Redacted.Redacted,
  options: DatabaseOptions = {}
): Layer.Layer<SqlClient.SqlClient | Engine | Notices, DatabaseError> => {
  const text = Redacted.value(url)
  if (!isDatabaseUrl(text)) return Layer.effectContext(Effect.fail(new InvalidDatabaseUrl()))
  return text.startsWith("sqlite:")
    ? Layer.merge(layerSqlite(text.slice("sqlite:".length), options.readOnly ?? false), Layer.succeed(Engine, "sqlite"))
    : Layer.merge(
      Layer.provideMerge(PostgresNotices.layer, Postgres.layer({ ...options, url })),
      Layer.succeed(Engine, "postgres")
    )
}
