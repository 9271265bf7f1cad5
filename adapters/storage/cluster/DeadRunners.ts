/**
 * Notices within two seconds that the process of another runner is gone, so that its shards are taken over in five.
 * Each runner holds a lock of PostgreSQL for as long as it is connected; the server drops it when the process dies, and
 * keeps it while the process is merely slow. A runner whose lock was seen and is missing twice, a second apart, is
 * marked as unhealthy, as a failed ping marks it.
 *
 * Effect's own checks stay, for what this does not see: a frozen process, a machine without power, and a runner that
 * was gone before this one started. They are slower, because a slow process must not lose its work.
 *
 * It costs a connection, and one statement a second.
 */
import { Cause, Effect, Latch, Layer, Option, Schedule } from "effect"
import { RunnerStorage, ShardingConfig } from "effect/cluster"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"

/** The first number of the locks; the second is the hash of a runner's address. */
const NAMESPACE = 0x63617573

const LOCK = `${NAMESPACE}, hashtext($1)`

/** Every runner that counts as healthy, and whether its lock is held. */
const LOOK = `
  SELECT address, EXISTS (
    SELECT 1 FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid::bigint = ${NAMESPACE}
    AND objid::bigint = hashtext(address)::bigint & 4294967295
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  )
  FROM cluster_runners WHERE healthy`

/** What was seen over one connection. */
interface Sight {
  readonly seen: Set<string>
  missing: ReadonlySet<string>
}

/** Looks once, and marks who is gone. */
const look = Effect.fnUntraced(function*(connection: Connection, own: string, sight: Sight) {
  const missing = new Set<string>()
  for (const [address, isHeld] of yield* connection.executeValues(LOOK, [])) {
    if (typeof address !== "string" || address === own) continue
    if (isHeld === true) {
      if (!sight.seen.has(address)) yield* Effect.logInfo(`the runner at ${address} is up`)
      sight.seen.add(address)
    } else if (sight.seen.has(address)) missing.add(address)
  }
  for (const address of missing) {
    if (!sight.missing.has(address)) continue
    yield* Effect.logWarning(`the runner at ${address} is gone: its work is taken over`)
    yield* connection.executeValues("UPDATE cluster_runners SET healthy = FALSE WHERE address = $1", [address])
    sight.seen.delete(address)
  }
  sight.missing = missing
})

/**
 * Holds the lock and looks, as long as the connection lasts. Over a new connection nobody counts as gone who has not
 * been seen over it: after a restart of the server all locks are missing for a while.
 */
const watch = (sql: SqlClient.SqlClient, own: string, tried: Latch.Latch) =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* sql.reserve
    // The connection goes back to the pool.
    yield* Effect.addFinalizer(() =>
      connection.executeValues(`SELECT pg_advisory_unlock(${LOCK})`, [own]).pipe(
        Effect.timeout("1 second"),
        Effect.interruptible,
        Effect.ignoreCause
      )
    )
    const sight: Sight = { seen: new Set(), missing: new Set() }
    let isOurs = false
    while (true) {
      if (!isOurs) {
        // A process that had this address before may not be gone yet.
        const [[taken] = []] = yield* connection.executeValues(`SELECT pg_try_advisory_lock(${LOCK})`, [own])
        isOurs = taken === true
      }
      yield* tried.open
      yield* look(connection, own, sight)
      yield* Effect.sleep("1 second")
    }
  }))

/** The storage of runners, watched. Has its own lock, if it can be had, before the runner registers. */
export const layerWatchedRunners = <E, R>(storage: Layer.Layer<RunnerStorage.RunnerStorage, E, R>) =>
  Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { runnerAddress } = yield* ShardingConfig.ShardingConfig
      if (Option.isSome(runnerAddress)) {
        const { host, port } = runnerAddress.value
        const tried = yield* Latch.make()
        yield* watch(sql, `${host}:${port}`, tried).pipe(
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.interrupt
              : Effect.logWarning("dead runners are not looked for now", cause)
          ),
          Effect.ensuring(tried.open),
          Effect.repeat(Schedule.spaced("5 seconds")),
          Effect.forkScoped
        )
        yield* tried.await
      }
      return yield* RunnerStorage.RunnerStorage
    })
  ).pipe(Layer.provide(storage))
