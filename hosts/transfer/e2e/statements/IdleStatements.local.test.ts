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

/** The most of a minute, all together, and by the operation's name. A slow machine takes fewer. */
const most = { sqlite: 360, postgres: 440 } as const
const bounds: Readonly<Record<string, number>> = {
  "Pauses.all": 30,
  "FinalBlocks.find": 18,
  "FinalBlocks.remember": 36,
  "Deposits.record": 36,
  "Sweeps.open": 15,
  "PermitSubmissions.open": 15,
  "Payouts.open": 15,
  "Settlements.underWay": 24,
  "Deposits.open": 24,
  "Deposits.cursor": 30,
  "DepositAddresses.recent": 36,
  "Sends.cursor": 24,
  "Sends.unsettled": 24,
  "Credits.cursor": 12,
  "Credits.moveCursor": 21,
  "WebhookDeliveries.claim": 0,
  "WebhookDeliveries.nextDue": 12
}

const postgres = Effect.gen(function*() {
  const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
  return { DATABASE_URL: Redacted.value(yield* server.createDatabase), RUNNER_PORT: `${yield* anyFree}` }
})

const test = Effect.fnUntraced(
  function*(engine: keyof typeof most, changes: Effect.Effect<Readonly<Record<string, string>>, unknown, Scope.Scope>) {
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
    const all = [...operations.values()].reduce((sum, count) => sum + count, 0)
    const rows = [...operations].toSorted(([, one], [, other]) => other - one)
    process.stdout.write(
      `\nStatements of a minute without work on ${engine}: ${all}\n${
        rows.map(([operation, count]) => `${`${count}`.padStart(8)}  ${operation}\n`).join("")
      }`
    )
    const above = rows.filter(([operation, count]) => count > (bounds[operation] ?? Infinity))
    assert.deepStrictEqual(above, [])
    assert.isAtMost(all, most[engine])
  }
)

describe.concurrent("a worker without work asks little of its store", () => {
  it.live("on SQLite", () => Effect.scoped(test("sqlite", Effect.succeed({}))))
  it.live.skipIf(programs === undefined)(
    "on PostgreSQL",
    () => Effect.scoped(test("postgres", postgres))
  )
})
