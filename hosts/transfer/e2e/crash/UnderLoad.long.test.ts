import { describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { partOf } from "../../../../scripts/testing/Sample.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { killUnderLoad } from "./testing/UnderLoad.ts"

const programs = requirePostgres()
const many = { kills: partOf(200) }

describe("kills at random moments under load", () => {
  it.live(`${many.kills} on SQLite: every request ends, each deposit is filled or refunded once, to the unit`, () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, environment, startHost } = yield* startNetwork
      const url = Effect.map(startHost(), (host) => host.url)
      yield* killUnderLoad({ chains, ask: url, spawn: () => spawnHost("transfer", environment), settled: url }, many)
    })))

  it.live.skipIf(programs === undefined)(
    `${many.kills} on PostgreSQL, one of two workers each time: the other continues, and nothing is paid twice`,
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { chains, environment, startHost } = yield* startNetwork
        const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
        const shared = { ...environment, DATABASE_URL: Redacted.value(yield* server.createDatabase) }
        const api = yield* startHost(shared)
        const worker = Effect.fnUntraced(function*() {
          return yield* spawnHost("worker", { ...shared, RUNNER_PORT: `${yield* anyFree}` })
        })
        const own = { ...shared, RUNNER_PORT: `${yield* anyFree}` }
        // A second worker stays while the first is killed. It has to take over what the first began.
        yield* worker()
        yield* killUnderLoad({
          chains,
          ask: Effect.succeed(api.url),
          spawn: () => spawnHost("worker", own),
          settled: Effect.succeed(api.url)
        }, many)
      }))
  )
})
