/**
 * An API and two workers over one PostgreSQL that pay many orders at once on one chain. No block comes there until one
 * of the workers is killed, with payments that it has signed.
 */
import { assert } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { layerDatabase } from "../../../adapters/storage/engine/Database.ts"
import * as PostgresServer from "../../../adapters/storage/testing/PostgresServer.ts"
import { tally } from "../../../scripts/testing/Tally.ts"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { untilDivided } from "./DividedWork.ts"
import { spawnHost, startHost } from "./HostProcess.ts"
import type { HostProcess } from "./HostProcess.ts"
import { eventually } from "./Misbehaving.ts"
import { endedAnywhere } from "./SolanaClient.ts"

/** How many payments a worker has signed, by its own output (`FAILPOINT=??`). */
const signatures = ({ output }: HostProcess): number =>
  output().match(/^failpoint Payments\.signOnce fill:after$/gm)?.length ?? 0

export interface Work<A> {
  readonly environment: Readonly<Record<string, string>>
  readonly programs: PostgresServer.PostgresPrograms
  readonly transfers: number
  /** Requests a quote, by its number. */
  readonly begin: (url: string, index: number) => Effect.Effect<A>
  /** The user's deposit. */
  readonly pay: (begun: A, index: number) => Effect.Effect<unknown>
  /** Blocks of the chain that is paid on. Never ends. */
  readonly mining: Effect.Effect<never>
}

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ raw: Schema.String })))

/** What was begun, all of it successful; and every payment as the store has it. */
export const payByTwoWorkers = Effect.fnUntraced(
  function*<A extends { readonly quoted: { readonly steps: ReadonlyArray<{ readonly requestId: string }> } }>(
    { begin, environment, mining, pay, programs, transfers }: Work<A>
  ) {
    const { DEPOSIT_ADDRESS_SEED: _, ...withoutSeed } = environment
    const server = yield* PostgresServer.start(programs)
    const DATABASE_URL = Redacted.value(yield* server.createDatabase)
    const startWorker = Effect.gen(function*() {
      return yield* spawnHost("worker", {
        ...environment,
        DATABASE_URL,
        RUNNER_PORT: `${yield* anyFree}`,
        FAILPOINT: "??"
      })
    })
    const api = yield* startHost({ ...withoutSeed, DATABASE_URL })
    const workers = [yield* startWorker, yield* startWorker] as const
    const all = yield* Effect.forEach(
      Array.from({ length: transfers }, (_one, index) => index),
      (index) => begin(api.url, index)
    )
    yield* untilDivided(DATABASE_URL, workers)
    const payFrom = (from: number, to: number) =>
      Effect.forEach(all.slice(from, to), (begun, at) => pay(begun, from + at), { concurrency: 4, discard: true })
    const signed = (least: number) =>
      eventually(
        `${least} are signed`,
        Effect.sync(() => signatures(workers[0]) + signatures(workers[1])),
        (count) => count >= least
      )
    // All that is signed waits. An order's number decides which worker pays it.
    let begun = 0
    while (begun < transfers - 3 && workers.some((worker) => signatures(worker) === 0)) {
      yield* payFrom(begun, begun + 1)
      begun += 1
      yield* signed(begun)
    }
    for (const worker of workers) assert.isAbove(signatures(worker), 0, worker.output())
    yield* payFrom(begun, transfers)
    yield* signed(begun + 1)
    yield* workers[0].kill("SIGKILL")
    tally("kills", 1)
    const ends = yield* Effect.raceFirst(
      Effect.forEach(all, ({ quoted }) => endedAnywhere(api.url, quoted), { concurrency: "unbounded" }),
      mining
    )
    assert.deepStrictEqual([...new Set(ends.map(({ status }) => status))], ["success"], workers[1].output())
    const rows = yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT raw FROM payments`).pipe(
      Effect.provide(layerDatabase(Redacted.make(DATABASE_URL))),
      Effect.flatMap(decodeRows),
      Effect.orDie
    )
    return { all, payments: rows.map(({ raw }) => raw) }
  }
)
