import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as PostgresServer from "../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../scripts/testing/Capability.ts"
import { tally } from "../../scripts/testing/Tally.ts"
import { anyFree } from "../localnet/chains/Port.ts"
import { ended, nativeRequest, quote, reader, sendDeposit } from "./testing/Client.ts"
import { spawnHost } from "./testing/HostProcess.ts"
import { startNetwork } from "./testing/TransferNetwork.ts"

const programs = requirePostgres()

describe.skipIf(programs === undefined)("on PostgreSQL", () => {
  it.live("the API and the worker are processes of their own, and a killed worker's successor goes on", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, environment, startHost } = yield* startNetwork
      const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
      const url = Redacted.value(yield* server.createDatabase)
      const shared = { ...environment, DATABASE_URL: url }
      const api = yield* startHost({ DATABASE_URL: url })
      const startWorker = Effect.fnUntraced(function*(changes: Readonly<Record<string, string>>) {
        return yield* spawnHost("worker", { ...shared, RUNNER_PORT: `${yield* anyFree}`, ...changes })
      })
      const recipient = "0x0000000000000000000000000000000000009051"
      const key = chains.users[0] ?? "0x"
      const user = privateKeyToAccount(key).address
      const balance = () => Effect.promise(() => reader(chains.beta).getBalance({ address: recipient }))
      const request = nativeRequest(user, chains.alpha, chains.beta, parseEther("0.1"), { recipient })

      const doomed = yield* startWorker({ FAILPOINT: "Treasury.broadcast:after" })
      const first = yield* quote(api.url, request)
      yield* sendDeposit(chains.alpha, key, first)
      assert.strictEqual(yield* doomed.ended, "SIGKILL", doomed.output())
      tally("kills", 1)
      const successor = yield* startWorker({})
      assert.strictEqual((yield* ended(api.url, first)).status, "success", successor.output())
      const second = yield* quote(api.url, request)
      yield* sendDeposit(chains.alpha, key, second)
      assert.strictEqual((yield* ended(api.url, second)).status, "success")
      assert.strictEqual(yield* balance(), BigInt(first.details.currencyOut.amount) + BigInt(second.details.currencyOut.amount))
    })), 90_000)
})
