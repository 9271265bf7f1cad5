/**
 * Two workers on PostgreSQL share the webhooks of many requests, and are killed in turn: none is lost, few come twice.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { nativeRequest, post, QuoteAnswer, sendDeposit } from "../../testing/Client.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import { addKeys } from "../../testing/Keys.ts"
import { eventually, startReceiver } from "../../testing/Receiver.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const programs = requirePostgres()
const REQUESTS = 12
const KILLS = 4

describe.skipIf(programs === undefined)("webhooks of workers that share a store", () => {
  it.live("arrive at least once and in order, whichever process is killed", () =>
    Effect.gen(function*() {
      const { chains, environment, startHost } = yield* startNetwork
      const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
      const url = Redacted.value(yield* server.createDatabase)
      yield* addKeys(url, ["alice"])
      const api = yield* startHost({ DATABASE_URL: url })
      const startWorker = Effect.gen(function*() {
        return yield* spawnHost("worker", { ...environment, DATABASE_URL: url, RUNNER_PORT: `${yield* anyFree}` })
      })
      const workers = [yield* startWorker, yield* startWorker]
      const receiver = yield* startReceiver()
      // Slow enough that some are always in flight.
      receiver.answer = (response) => {
        setTimeout(() => response.writeHead(200).end(), 250)
      }
      const key = { "x-api-key": "alice" }
      assert.strictEqual((yield* post(`${api.url}/webhooks`, { url: receiver.url }, key)).status, 200)
      const user = chains.users[0] ?? "0x"
      const body = nativeRequest(privateKeyToAccount(user).address, chains.alpha, chains.beta, parseEther("0.01"))
      const requests: Array<string> = []
      for (let index = 0; index < REQUESTS; index++) {
        const quoted = Schema.decodeUnknownSync(QuoteAnswer)((yield* post(`${api.url}/quote`, body, key)).json())
        yield* sendDeposit(chains.alpha, user, quoted)
        requests.push(quoted.steps[0]?.requestId ?? "")
        if (index % 3 === 2 && index / 3 < KILLS) {
          const known = receiver.received.length
          yield* eventually("something is under way", () => receiver.received.length > known)
          yield* workers.shift()?.kill("SIGKILL") ?? Effect.void
          tally("kills", 1)
          workers.push(yield* startWorker)
        }
      }
      for (const request of requests) {
        const of = () => receiver.received.filter(({ json }) => json.id.startsWith(request))
        yield* eventually(
          `the end of ${request}`,
          () => of().some(({ json }) => json.data["status"] === "success"),
          150
        )
        const sequences = of().map(({ json }) => json.sequence)
        assert.deepStrictEqual(sequences, sequences.toSorted((a, b) => a - b), `${request} in order`)
        assert.deepStrictEqual(
          [...new Set(sequences)],
          Array.from({ length: sequences.at(-1) ?? 0 }, (_, index) => index + 1),
          `${request} without a gap`
        )
      }
      const twice = receiver.received.length - new Set(receiver.received.map(({ json }) => json.id)).size
      assert.isAtMost(twice, KILLS * 8, "only what was under way when a worker was killed")
    }).pipe(Effect.scoped))
})
