/**
 * How long the transfers of a killed worker wait for another one (aim: at most five seconds): two workers over one
 * PostgreSQL, and SIGKILL for one of them in the middle of its fills. By the store, from the kill: when the other worker
 * holds all shards, when it has read the last filling that was the killed worker's and goes on with it, and when the
 * last of these transfers has ended. Fails when one was not taken over in time.
 */
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { layerDatabase } from "../../../../adapters/storage/engine/Database.ts"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import type { PostgresPrograms } from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { percentile } from "../../../http/testing/load/ClosedLoop.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { ended, nativeRequest, quote, sendDeposit } from "../../testing/Client.ts"
import { untilDivided } from "../../testing/DividedWork.ts"
import { spawnHost, startHost } from "../../testing/HostProcess.ts"
import { keyAt } from "../../testing/TestChains.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const ROUNDS = 5
const TRANSFERS = 40
/** One worker is killed when so many have ended. */
const ENDED_AT_KILL = 8
const AIM_MS = 5_000
const LOOK_MS = 20

/** Which session holds which shard. Effect's lock of a shard of the only group is this number and the shard's. */
const FIRST_LOCK = 1_000_000
const HELD = `
  SELECT pid, (objid::bigint - ${FIRST_LOCK})::int AS shard FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND objid::bigint > ${FIRST_LOCK}
  AND objid::bigint <= ${FIRST_LOCK} + 64
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** The requests whose filling has begun in one of the shards and which have not ended. */
const UNDER_WAY = `
  SELECT t.id FROM cluster_messages m
  JOIN deposits d ON d.onchain_id = m.payload::jsonb ->> 'onchainId'
  JOIN transfers t ON t.order_id = d.deposit_id
  WHERE m.entity_type = 'Workflow/Filling' AND m.tag = 'run' AND t.status NOT IN ('success', 'refund', 'failure')
  AND split_part(m.shard_id, ':', 2)::int = ANY ($1::int[])`

/** Fillings in the shards that nobody has read since a moment. */
const UNREAD = `
  SELECT COUNT(*)::int AS count FROM cluster_messages
  WHERE entity_type = 'Workflow/Filling' AND tag = 'run' AND NOT processed
  AND split_part(shard_id, ':', 2)::int = ANY ($1::int[]) AND (last_read IS NULL OR last_read < $2::timestamp)`

const NOW = `SELECT LOCALTIMESTAMP::text AS id`

const ENDED = `SELECT COUNT(*)::int AS count FROM transfers WHERE status IN ('success', 'refund', 'failure')`

const decodeHeld = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ pid: Schema.Int, shard: Schema.Int })))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))
const decodeCount = Schema.decodeUnknownEffect(Schema.NonEmptyArray(Schema.Struct({ count: Schema.Int })))

/** Looks until it holds, and returns the milliseconds since `from`. */
const waited = Effect.fnUntraced(
  function*<A, E, R>(from: number, look: Effect.Effect<A, E, R>, holds: (seen: A) => boolean) {
    while (!holds(yield* look)) yield* Effect.sleep(LOOK_MS)
    return performance.now() - from
  }
)

const round = (programs: PostgresPrograms) =>
  Effect.gen(function*() {
    const { chains, environment } = yield* startNetwork
    const server = yield* PostgresServer.start(programs)
    const url = Redacted.value(yield* server.createDatabase)
    const shared = { ...environment, DATABASE_URL: url }
    const api = yield* startHost(shared)
    const startWorker = Effect.flatMap(anyFree, (port) => spawnHost("worker", { ...shared, RUNNER_PORT: `${port}` }))
    const workers = [yield* startWorker, yield* startWorker] as const
    const quotes = yield* Effect.forEach(
      Array.from({ length: TRANSFERS }, (_, index) => keyAt(chains, index)),
      (key) =>
        Effect.map(
          quote(
            api.url,
            nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, parseEther("0.01"))
          ),
          (quoted) => ({ key, quoted })
        ),
      { concurrency: 4 }
    )
    yield* untilDivided(url, workers)
    return yield* Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const held = Effect.flatMap(sql.unsafe(HELD), decodeHeld)
      const counted = (text: string, values: ReadonlyArray<string> = []) =>
        Effect.map(Effect.flatMap(sql.unsafe(text, values), decodeCount), ([{ count }]) => count)
      yield* Effect.forEach(quotes, ({ key, quoted }) => sendDeposit(chains.alpha, key, quoted), { discard: true })
        .pipe(
          Effect.forkScoped
        )
      yield* waited(0, counted(ENDED), (number) => number >= ENDED_AT_KILL)
      const before = yield* held
      const [{ id: moment } = { id: "" }] = yield* Effect.flatMap(sql.unsafe(NOW), decodeIds)
      const killed = performance.now()
      yield* workers[0].kill("SIGKILL")
      // Its sessions end with it.
      yield* waited(killed, held, (now) => now.length < before.length)
      const left = new Set((yield* held).map(({ pid }) => pid))
      const lost = before.filter(({ pid }) => !left.has(pid)).map(({ shard }) => shard)
      const shards = `{${lost.join(",")}}`
      const underWay = Effect.flatMap(sql.unsafe(UNDER_WAY, [shards]), decodeIds)
      const begun = yield* underWay
      const taken = yield* waited(killed, held, (now) => now.length >= before.length)
      const read = yield* waited(killed, counted(UNREAD, [shards, moment]), (number) => number === 0)
      const isUnder = (now: typeof begun) => begun.some(({ id }) => now.some((other) => other.id === id))
      const done = yield* waited(killed, underWay, (now) => !isUnder(now))
      yield* Effect.forEach(quotes, ({ quoted }) => ended(api.url, quoted), { concurrency: "unbounded" })
      return { taken, read, done, lost: lost.length, begun: begun.length }
    }).pipe(Effect.provide(layerDatabase(Redacted.make(url))))
  }).pipe(Effect.scoped)

const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))
const column = (ms: number) => ms.toFixed(0).padStart(8)

const main = (programs: PostgresPrograms) =>
  Effect.gen(function*() {
    const rounds = yield* Effect.forEach(Array.from({ length: ROUNDS }), () => round(programs))
    yield* say(`\nTransfer service: one of two workers is killed, ${ROUNDS} rounds; ms from the kill`)
    yield* say("  median     most")
    const rows = [
      ["its shards are held by the other one", "taken"],
      ["its fillings go on", "read"],
      ["its transfers have ended", "done"]
    ] as const
    for (const [name, of] of rows) {
      const sorted = rounds.map((each) => each[of]).toSorted((one, other) => one - other)
      yield* say(`${column(percentile(sorted, 0.5))} ${column(sorted.at(-1) ?? 0)}  ${name}`)
    }
    const sumOf = (of: "begun" | "lost") => rounds.reduce((sum, each) => sum + each[of], 0)
    yield* say(`${sumOf("lost")} shards with ${sumOf("begun")} transfers under way, in all rounds`)
    const slow = rounds.filter(({ read }) => read > AIM_MS)
    if (slow.length > 0) return yield* Effect.die(new Error(`${slow.length} takeovers took more than ${AIM_MS} ms`))
  })

const programs = requirePostgres()
if (programs !== undefined) await Effect.runPromise(main(programs))
