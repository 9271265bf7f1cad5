/**
 * What a worker with nothing to do asks of its store in a minute: two chains with a block every second, settling off.
 * The loops that follow a chain go on, and write every five seconds; those that wait for the store rest until it tells them (`StoreNotices`).
 */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import type { Scope } from "effect"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { countStatements } from "../../testing/StatementCounts.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { layerMeasuredHost } from "../../TransferHost.ts"

const programs = requirePostgres()

const SECONDS = 20

/** The most of a minute, by the operation's name. A slow machine takes fewer. */
const bounds: Readonly<Record<string, number>> = {
  "Pauses.all": 90,
  "FinalBlocks.find": 30,
  "FinalBlocks.remember": 40,
  "Deposits.record": 40,
  "Sweeps.open": 30,
  "PermitSubmissions.open": 30,
  "Payouts.open": 30,
  "Settlements.underWay": 120,
  "Deposits.open": 60,
  "Deposits.cursor": 30,
  "DepositAddresses.recent": 40,
  "Sends.cursor": 30,
  "Sends.unsettled": 30
}

const postgres = Effect.gen(function*() {
  const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
  return { DATABASE_URL: Redacted.value(yield* server.createDatabase), RUNNER_PORT: `${yield* anyFree}` }
})

const test = Effect.fnUntraced(
  function*(engine: string, changes: Effect.Effect<Readonly<Record<string, string>>, unknown, Scope.Scope>) {
    const { environment } = yield* startNetwork
    const counts = countStatements()
    const settings = { ...environment, ...(yield* changes) }
    yield* Layer.build(layerMeasuredHost.pipe(
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings))),
      Layer.provide(counts.layer)
    ))
    // Everything has begun, and notices are heard.
    yield* Effect.sleep("15 seconds")
    counts.reset()
    yield* Effect.sleep(SECONDS * 1_000)
    const operations = new Map<string, number>()
    for (const { count, operation } of counts.rows("others")) {
      operations.set(operation, (operations.get(operation) ?? 0) + count * 60 / SECONDS)
    }
    const rows = [...operations].toSorted(([, one], [, other]) => other - one)
    process.stdout.write(
      `\nStatements of a minute without work on ${engine}: ${rows.reduce((sum, [, count]) => sum + count, 0)}\n${
        rows.map(([operation, count]) => `${`${count}`.padStart(8)}  ${operation}\n`).join("")
      }`
    )
    const above = rows.filter(([operation, count]) => count > (bounds[operation] ?? Infinity))
    assert.deepStrictEqual(above, [])
  }
)

describe.concurrent("a worker without work asks little of its store", () => {
  it.live("on SQLite", () => Effect.scoped(test("sqlite", Effect.succeed({}))))
  it.live.skipIf(programs === undefined)(
    "on PostgreSQL",
    () => Effect.scoped(test("postgres", postgres))
  )
})
