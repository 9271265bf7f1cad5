/**
 * Migrated, empty databases of one server, lent to one case after the other. To empty a database takes a tenth of the
 * time of copying one. Guarantee: a borrower gets a database without rows and with the template's tables, indexes,
 * triggers and functions; one whose schema a borrower changed is not lent again.
 */
import { Effect, Scope } from "effect"
import type { Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Postgres from "../engine/Postgres.ts"
import type { PostgresServer, PostgresServerError } from "./PostgresServer.ts"

/** A borrower's processes may have been killed a moment ago, with their connections still open. Milliseconds. */
const DISCONNECTS_MS = 5_000

/**
 * As a replica, because triggers keep some rows from being deleted. The planner takes every table of less than ten pages
 * for one of ten. A larger one is truncated, which takes longer, so that queries are planned as on a new store.
 */
const EMPTY = `DO $$
DECLARE name text;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'causeway_migrations' LOOP
    IF pg_relation_size(format('%I', name)) > 4 * 8192 THEN
      EXECUTE format('TRUNCATE %I CASCADE', name);
    ELSE
      EXECUTE format('DELETE FROM %I', name);
    END IF;
  END LOOP;
END $$`

/** A copy of a database has the same oids as its template. */
const SCHEMA = `SELECT md5(string_agg(oid::text, ',' ORDER BY oid)) AS schema FROM (
  SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT oid FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace
) AS objects`

const schemaOf = (sql: Effect.Success<ReturnType<typeof Postgres.make>>) =>
  Effect.map(sql.unsafe<{ readonly schema: string }>(SCHEMA), ([row]) => row?.schema)

const connected = (url: Redacted.Redacted) =>
  Postgres.make({ url, maxConnections: 1 }).pipe(
    Effect.provideServiceEffect(Reactivity.Reactivity, Reactivity.make)
  )

/** Lends copies of a migrated database, each until the borrower's scope closes. The template is not lent. */
export const lentDatabases = (server: PostgresServer, template: Redacted.Redacted) =>
  Effect.gen(function*() {
    const schema = yield* Effect.scoped(Effect.flatMap(connected(template), schemaOf))
    const free: Array<Redacted.Redacted> = []

    /** Ends what is still connected, and empties the database. True when it can be lent again. */
    const emptied = Effect.fnUntraced(function*(url: Redacted.Redacted) {
      const sql = yield* connected(url)
      yield* sql`SELECT pg_terminate_backend(pid, ${DISCONNECTS_MS}) AS ended FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`
      if (schema === undefined || (yield* schemaOf(sql)) !== schema) return false
      yield* sql.unsafe(EMPTY)
      return true
    }, Effect.scoped)

    const copied: Effect.Effect<Redacted.Redacted, PostgresServerError> = Scope.provide(
      server.copyDatabase(template),
      Scope.makeUnsafe()
    )
    return Effect.acquireRelease(
      Effect.suspend(() => {
        const url = free.pop()
        return url === undefined ? copied : Effect.succeed(url)
      }),
      (url) =>
        Effect.map(Effect.orElseSucceed(emptied(url), () => false), (isEmpty) => {
          if (isEmpty) free.push(url)
        })
    )
  })
