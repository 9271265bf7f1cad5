import { describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import { addSponsors } from "../../testing/Sponsor.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { addressSponsor, payAddresses } from "./testing/PayAddresses.ts"
import { halfSponsor, spendHalf } from "./testing/SpendHalf.ts"

const programs = requirePostgres()

describe("64 sponsored deposits at once on a balance for 32", () => {
  it.live("all end on SQLite, and no unit is spent twice", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, environment, startHost } = yield* startNetwork
      const store = environment["DATABASE_URL"] ?? ""
      yield* addSponsors(store, [halfSponsor])
      const { url } = yield* startHost()
      yield* spendHalf(url, store, chains)
    })))

  it.live.skipIf(programs === undefined)(
    "all end on PostgreSQL with two workers, and no unit is spent twice",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { chains, environment, startHost } = yield* startNetwork
        const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
        const store = Redacted.value(yield* server.createDatabase)
        yield* addSponsors(store, [halfSponsor])
        const { url } = yield* startHost({ DATABASE_URL: store })
        const startWorker = Effect.flatMap(
          anyFree,
          (port) => spawnHost("worker", { ...environment, DATABASE_URL: store, RUNNER_PORT: `${port}` })
        )
        yield* startWorker
        yield* startWorker
        yield* spendHalf(url, store, chains)
      }))
  )
})

describe.skipIf(programs === undefined)(
  "eight open addresses of one sponsor, each paid four times, all at once",
  () => {
    it.live("on PostgreSQL with two workers draw what was quoted for each, and its day's budget", () =>
      Effect.scoped(Effect.gen(function*() {
        const { chains, environment, startHost } = yield* startNetwork
        const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
        const store = Redacted.value(yield* server.createDatabase)
        yield* addSponsors(store, [addressSponsor])
        const { url } = yield* startHost({ DATABASE_URL: store })
        const startWorker = Effect.flatMap(
          anyFree,
          (port) => spawnHost("worker", { ...environment, DATABASE_URL: store, RUNNER_PORT: `${port}` })
        )
        yield* startWorker
        yield* startWorker
        yield* payAddresses(url, store, chains)
      })))
  }
)
