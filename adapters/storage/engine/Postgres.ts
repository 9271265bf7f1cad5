/**
 * Effect's `SqlClient` over a PostgreSQL pool, for several processes that share one store. Sends one query at start, so
 * that a wrong address fails there and not at the first request.
 *
 * SECURITY: the URL holds a password; errors of this module never carry it.
 *
 * Select only types that sql-pg has a codec for, or cast them to text: it drops the connection on any other type.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { Duration, Layer } from "effect"
import { SqlError } from "effect/sql"
import type { SqlClient } from "effect/sql"

export interface PostgresOptions {
  /** `postgres://` or `postgresql://`, as libpq reads it. */
  readonly url: Redacted.Redacted
  /** The most connections of the pool. Default 10. A cluster runner keeps two of them for its locks. */
  readonly maxConnections?: number
  /** Default 5 seconds. */
  readonly connectTimeout?: Duration.Input
}

const refuse = (message: string): SqlError.SqlError =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ message, operation: "connect", cause: new Error(message) })
  })

/** The parameters whose value sql-pg's own error would repeat. */
const PARAMETERS: Readonly<Record<string, RegExp>> = {
  port: /^[0-9]{1,5}$/,
  connect_timeout: /^[0-9]{1,9}$/,
  sslmode: /^(disable|allow|prefer|require|verify-ca|verify-full)$/
}

/** Checks the URL before node and sql-pg parse it, because their errors repeat parts of it. */
const check = (url: Redacted.Redacted): Effect.Effect<void, SqlError.SqlError> => {
  const text = Redacted.value(url)
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  const malformed = parsed === undefined ||
    Object.entries(PARAMETERS).some(([name, pattern]) =>
      parsed.searchParams.getAll(name).some((value) => !pattern.test(value))
    )
  return malformed
    ? Effect.fail(refuse("PostgreSQL: the database URL is malformed (its text is withheld)"))
    : Effect.void
}

/** Describes a server or network error by its code, because its own text could repeat parts of the URL. */
const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "it closed the connection",
  ENOTFOUND: "the host's name is unknown",
  EAI_AGAIN: "the host's name could not be looked up",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "it did not answer in time",
  "28000": "the user may not log in",
  "28P01": "the password is wrong",
  "3D000": "there is no such database",
  "53300": "it has too many connections",
  "57P03": "it is starting or shutting down"
}

const codeIn = (error: unknown, depth = 0): string | undefined => {
  if (typeof error !== "object" || error === null || depth > 6) return undefined
  if ("code" in error && typeof error.code === "string" && error.code in CAUSES) return error.code
  const inner = "cause" in error ? codeIn(error.cause, depth + 1) : undefined
  return inner ?? ("reason" in error ? codeIn(error.reason, depth + 1) : undefined)
}

/** SECURITY: contains the URL's host and port, and nothing else of it. */
const unreachable = (url: Redacted.Redacted) => (error: SqlError.SqlError): SqlError.SqlError => {
  const { hostname, port, searchParams } = new URL(Redacted.value(url))
  const code = codeIn(error)
  return refuse(
    `PostgreSQL at ${searchParams.get("host") ?? (hostname || "localhost")}:${
      searchParams.get("port") ?? (port || "5432")
    } cannot be used: ${code === undefined ? "it did not answer in time, or refused the connection" : CAUSES[code]}${
      code === undefined ? "" : ` (${code})`
    }`
  )
}

/** Fails with `SqlError` when the URL is malformed or the server does not answer. The scope closes the pool. */
export const make = Effect.fnUntraced(function*(options: PostgresOptions) {
  yield* check(options.url)
  const client = yield* PgClient.make({
    url: options.url,
    applicationName: "causeway",
    maxConnections: options.maxConnections ?? 10,
    ...(options.connectTimeout === undefined ? {} : { connectTimeout: options.connectTimeout })
  }).pipe(Effect.mapError(unreachable(options.url)))
  yield* Effect.mapError(client`SELECT 1 AS answer`, unreachable(options.url))
  return client
})

/** Provides `SqlClient`, and `PgClient` for features that only PostgreSQL has (LISTEN). */
export const layer = (
  options: PostgresOptions
): Layer.Layer<SqlClient.SqlClient | PgClient.PgClient, SqlError.SqlError> => PgClient.layerFrom(make(options))
