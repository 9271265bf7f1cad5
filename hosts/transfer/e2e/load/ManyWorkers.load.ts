/**
 * How the work grows with the number of workers: what 1 and 16 of them ask of PostgreSQL and of the nodes in a minute
 * without transfers; then statements, locks and notices of a fill in a burst of deposits, and how many of the fills each
 * worker does. All of it is counted, so it does not matter that the workers share this process and two cores.
 * `BENCH_WORKERS` replaces 16.
 */
import { ConfigProvider, Effect, Layer, Logger, Metric, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { parseEther } from "viem"
import { layerDatabase } from "../../../../adapters/storage/engine/Database.ts"
import { LISTENING, Notices } from "../../../../adapters/storage/engine/notices/Notices.ts"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { ended, nativeRequest, quote, sendDeposit } from "../../testing/Client.ts"
import { NOBODY } from "../../testing/HostProcess.ts"
import { countedNodes } from "../../testing/load/CountedNodes.ts"
import { countStatements } from "../../testing/StatementCounts.ts"
import type { StatementKind } from "../../testing/StatementCounts.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { untilAnswers } from "../../testing/UntilAnswers.ts"
import { layerMeasuredWorker } from "../../TransferHost.ts"

const sizes = [1, Number(process.env["BENCH_WORKERS"] ?? 16)]
const IDLE_SECONDS = 20
const A_MINUTE = 60 / IDLE_SECONDS
const FILLS = 64
const AT_A_TIME = 8
/** The shards are divided when as many looks, a second apart, have found no change. */
const LOOKS = 8

const countOf = (kinds: ReadonlyArray<StatementKind>) => kinds.reduce((sum, { count }) => sum + count, 0)

const isLock = ({ text }: StatementKind) => /\bFOR (NO KEY )?UPDATE\b|advisory/i.test(text)

/** The locks of each session: a worker has one with its shards, and another one with a lock that says it is alive. */
const HELD = `
  SELECT COUNT(*)::int AS held FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  GROUP BY pid ORDER BY held DESC`
const decodeHeld = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ held: Schema.Int })))

/** The sessions' locks, the most first, once they have not changed for some looks. */
const untilDivided = Effect.fnUntraced(function*(workers: number) {
  const sql = yield* SqlClient.SqlClient
  let before = ""
  let same = 0
  const look = Effect.gen(function*() {
    const held = (yield* decodeHeld(yield* sql.unsafe(HELD))).map((session) => session.held)
    same = held.join() === before ? same + 1 : 0
    before = held.join()
    return held
  })
  const held = yield* look.pipe(
    Effect.delay("1 second"),
    Effect.repeat({ until: (each) => same >= LOOKS && each.length >= workers })
  )
  return held.slice(0, workers).join(" ")
})

/** Counts the notices of the store. */
const countedNotices = Effect.gen(function*() {
  let count = 0
  const heard = yield* (yield* Notices).subscribe
  yield* heard.pipe(
    Effect.tap((topics) => Effect.sync(() => count += topics.filter((topic) => topic !== LISTENING).length)),
    Effect.forever,
    Effect.forkScoped
  )
  return () => count
})

const worker = Effect.fnUntraced(function*(settings: Readonly<Record<string, string>>) {
  const statements = countStatements()
  const environment = { ...settings, RUNNER_PORT: `${yield* anyFree}` }
  yield* Layer.build(
    Layer.fresh(layerMeasuredWorker).pipe(
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment))),
      Layer.provide([statements.layer, Layer.sync(Metric.MetricRegistry, () => new Map())])
    )
  )
  return statements
})

const measured = (server: PostgresServer.PostgresServer, count: number) =>
  Effect.scoped(Effect.gen(function*() {
    const { chains, environment, startInstance, user } = yield* startNetwork
    const nodes = yield* countedNodes
    const database = yield* server.createDatabase
    const { url } = yield* startInstance({ DATABASE_URL: Redacted.value(database) })
    const settings = {
      ...environment,
      ALPHA_RPC_URL: nodes.urlOf(chains.alpha),
      BETA_RPC_URL: nodes.urlOf(chains.beta),
      DATABASE_URL: Redacted.value(database),
      HUB_ALLOCATOR: NOBODY
    }
    const counters = yield* Effect.forEach(Array.from({ length: count }), () => worker(settings))
    const context = yield* Layer.build(layerDatabase(database))
    const divided = yield* Effect.provide(untilDivided(count), context)
    const notices = yield* Effect.provide(countedNotices, context)
    yield* untilAnswers(`${url}/ready`)
    yield* Effect.sleep("15 seconds")
    const take = Effect.gen(function*() {
      const each = counters.map((statements) => ({
        fillings: statements.rows("fillings"),
        loops: statements.rows("others")
      }))
      const locks = each.flatMap(({ fillings, loops }) => [...fillings, ...loops]).filter(isLock)
      counters.forEach(({ reset }) => reset())
      return { each, locks: countOf(locks), requests: (yield* nodes.take).requests, notices: notices() }
    })
    const { notices: noticed } = yield* take
    yield* Effect.sleep(IDLE_SECONDS * 1_000)
    const idle = yield* take
    const quoted = yield* Effect.forEach(
      Array.from({ length: FILLS }, (_, index) => index),
      (index) => quote(url, nativeRequest(user(index), chains.alpha, chains.beta, parseEther("0.01")))
    )
    yield* take
    // One user's deposits are sent one after the other.
    yield* Effect.forEach(chains.users, (key, at) =>
      Effect.forEach(
        quoted.filter((_, index) => index % chains.users.length === at),
        (made) => sendDeposit(chains.alpha, key, made)
      ), { concurrency: AT_A_TIME })
    const ends = yield* Effect.forEach(quoted, (made) => ended(url, made), { concurrency: "unbounded" })
    const failed = ends.filter(({ status }) => status !== "success")
    if (failed.length > 0) return yield* Effect.die(new Error(`${failed.length} of ${FILLS} were not filled`))
    yield* Effect.sleep("5 seconds")
    const burst = yield* take
    const perWorker = burst.each.map(({ fillings }) => countOf(fillings)).toSorted((one, other) => one - other)
    const statements = perWorker.reduce((sum, each) => sum + each, 0)
    return {
      divided,
      signed: burst.each.map(({ fillings }) =>
        countOf(fillings.filter(({ text }) => /INSERT INTO payments\b/.test(text)))
      ).toSorted((one, other) => one - other),
      most: kindsOf(idle.each.flatMap(({ loops }) => loops)),
      counts: {
        "statements, an idle minute": countOf(idle.each.flatMap(({ loops }) => loops)) * A_MINUTE,
        "of these, locks": idle.locks * A_MINUTE,
        "requests to the nodes, an idle minute": idle.requests * A_MINUTE,
        "notices, an idle minute": (idle.notices - noticed) * A_MINUTE,
        "statements of a filling": statements / FILLS,
        "locks, a fill": burst.locks / FILLS,
        "notices, a fill": (burst.notices - idle.notices) / FILLS
      }
    }
  }))

const kindsOf = (kinds: ReadonlyArray<StatementKind>): ReadonlyArray<string> => {
  const sums = new Map<string, number>()
  for (const { count, operation, text } of kinds) {
    const kind = `${operation}: ${text.slice(0, 80)}`
    sums.set(kind, (sums.get(kind) ?? 0) + count * A_MINUTE)
  }
  return [...sums].toSorted(([, one], [, other]) => other - one).slice(0, 15).map(([kind, sum]) => `${sum} ${kind}`)
}

const programs = requirePostgres()
if (programs !== undefined) {
  await Effect.runPromise(Effect.scoped(
    Effect.gen(function*() {
      const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))
      const server = yield* PostgresServer.start(programs, ["max_connections=400"])
      let alone: ReadonlyArray<number> | undefined
      for (const size of sizes) {
        const { counts, divided, most, signed } = yield* measured(server, size)
        const base = alone ??= Object.values(counts)
        yield* say(`\nTransfer service: ${size} workers on PostgreSQL, with ${divided} shards\n               ratio`)
        for (const [index, [what, value]] of Object.entries(counts).entries()) {
          const one = base[index] ?? 0
          const ratio = one === 0 ? "" : (value / one).toFixed(2)
          yield* say(`${value.toFixed(1).padStart(10)} ${ratio.padStart(9)}  ${what}`)
        }
        yield* say(`  fills of each worker, of ${FILLS}: ${signed.join(" ")}`)
        yield* say(most.map((line) => `    ${line}`).join("\n"))
      }
    }).pipe(Effect.provide(Logger.layer([])))
  ))
}
