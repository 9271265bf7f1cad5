/**
 * Two workers over one PostgreSQL, and two oracles that both have to sign: each deposit is settled once, even when a
 * worker is killed.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { begin, pay } from "../crash/testing/Scenarios.ts"
import { ended, reader } from "../../testing/Client.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { startSettling } from "../../testing/SettlingNetwork.ts"

const programs = requirePostgres()

const MANY = 6

describe("settling by two workers", () => {
  it.live.skipIf(programs === undefined)(
    "submits each deposit once, with the signatures of both oracles, although one worker is killed",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { chains, environment, executions, hub, oracles, settling, startHost } = yield* startSettling(2, 2)
        const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
        const DATABASE_URL = Redacted.value(yield* server.createDatabase)
        const worker = (changes: Readonly<Record<string, string>> = {}) =>
          Effect.flatMap(anyFree, (port) =>
            spawnHost("worker", { ...environment, ...settling, DATABASE_URL, RUNNER_PORT: `${port}`, ...changes }))
        const api = yield* startHost({ DATABASE_URL })
        // It dies with a submission that is signed and stored, but not sent.
        const doomed = yield* worker({ FAILPOINT: "Payments.signOnce settlement:after" })
        const indices = Array.from({ length: MANY }, (_, index) =>
          index)
        const begun = yield* Effect.forEach(indices, (index) =>
          begin(api.url, chains, chains.users[index] ?? "0x", index % 3 === 2 ? "refund" : "fill", 9_000 + index))
        const deposit = (from: number, to: number) =>
          Effect.forEach(indices.slice(from, to), (index) =>
            pay(chains, chains.users[index] ?? "0x", begun[index] ?? assert.fail()), { discard: true })
        yield* deposit(0, 2)
        assert.strictEqual(yield* doomed.ended, "SIGKILL", doomed.output())
        tally("kills", 1)
        const workers = [yield* worker(), yield* worker()]
        // One signature is not enough: nothing is submitted while one oracle is silent.
        oracles[1]?.behave("dead")
        yield* deposit(2, MANY)
        yield* Effect.forEach(begun, ({ quoted }) =>
          ended(api.url, quoted), { discard: true })
        oracles[1]?.behave("honest")
        const keys = yield* eventually("all are settled", executions, (found) =>
          found.length >= 2 * MANY).pipe(
            Effect.tapCause(() =>
              Effect.sync(() =>
                process.stdout.write(
                  workers.map(({ output }) =>
                    output().slice(-3_000)
                  ).join("\n")
                )
              )
            )
          )
        assert.lengthOf(new Set(keys), 2 * MANY)
        assert.lengthOf(keys, 2 * MANY)
        // A second submission would only cost gas, but none is made.
        assert.isAtMost(
          yield* Effect.promise(() =>
            reader(hub).getTransactionCount({ address: chains.solver })
          ),
          MANY
        )
      }))
  )
})
