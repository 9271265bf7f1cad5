/**
 * Detects within two seconds that another runner's process has died, so that its shards are taken over within five.
 * Each runner holds a PostgreSQL lock while it is connected. The server releases the lock when the process dies, and
 * keeps it while the process is merely slow. A runner whose lock was seen, and is then missing twice, a second apart,
 * is marked unhealthy, as after a failed ping.
 *
 * Effect's own checks still cover the other cases: a frozen process, a machine without power, and a runner that died
 * before this one started. They are slower, because a slow process must not lose its work.
 *
 * Costs one connection, and one statement a second.
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

/** Checks once, and marks dead runners as unhealthy. */
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
 * Holds this runner's lock and checks the others for as long as the connection lasts. A runner counts as dead only if
 * its lock was seen over the same connection, because after a restart of the server all locks are missing for a while.
 */
const watch = (sql: SqlClient.SqlClient, own: string, tried: Latch.Latch) =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* sql.reserve
    // The connection returns to the pool, so it must not keep the lock.
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
        // An earlier process at this address may still hold the lock.
        const [[taken] = []] = yield* connection.executeValues(`SELECT pg_try_advisory_lock(${LOCK})`, [own])
        isOurs = taken === true
      }
      yield* tried.open
      yield* look(connection, own, sight)
      yield* Effect.sleep("1 second")
    }
  }))

/**
 * The storage of runners, with this check running beside it. Tries to take this runner's lock before the runner
 * registers.
 */
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
              : Effect.logWarning("the check for dead runners failed and is retried", cause)
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
