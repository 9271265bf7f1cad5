import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dirname, join } from "node:path"
import { begin, pay } from "../crash/testing/Scenarios.ts"
import { ended } from "../../testing/Client.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { runOperation } from "../../testing/RunOperation.ts"
import { startSettling } from "../../testing/SettlingNetwork.ts"

describe("a store that is restored from a backup", () => {
  it.live("is held on the hub, too, until the sent submissions are known, and settles each deposit once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, environment: own, executions, settling, startHost } = yield* startSettling(1, 1)
      const environment = { ...own, ...settling }
      const store = own["DATABASE_URL"]?.slice("sqlite:".length) ?? ""
      const file = join(dirname(store), "backups", "one.db")
      const first = yield* startHost(settling)
      const settle = Effect.fnUntraced(function*(url: string, index: number) {
        const key = chains.users[index] ?? "0x"
        const begun = yield* begin(url, chains, key, index % 2 === 0 ? "fill" : "refund", 7_000 + index)
        yield* pay(chains, key, begun)
        yield* ended(url, begun.quoted)
      })
      yield* settle(first.url, 0)
      yield* eventually("one is settled", executions, (found) => found.length === 2)
      const quoted = yield* begin(first.url, chains, chains.users[1] ?? "0x", "fill", 7_001)
      assert.strictEqual((yield* runOperation("backup", environment, file)).code, 0)
      // Its settlement is missing in the restored store.
      yield* pay(chains, chains.users[1] ?? "0x", quoted)
      yield* ended(first.url, quoted.quoted)
      yield* eventually("another one is settled", executions, (found) => found.length === 4)
      yield* first.kill("SIGKILL")
      assert.strictEqual((yield* runOperation("restore", environment, file)).code, 0)
      const second = yield* startHost(settling)
      for (const held of ["alpha, beta", "hub"]) {
        assert.include(second.output(), `payments on ${held} are held`)
        yield* eventually(
          "they go on",
          Effect.sync(() => second.output()),
          (output) => output.includes(`payments on ${held} go on`)
        )
      }
      yield* settle(second.url, 2)
      const keys = yield* eventually("all are settled", executions, (found) => found.length >= 6)
      const metrics = () => Effect.promise(() => fetch(`${second.url}/metrics`).then((response) => response.text()))
      yield* eventually(
        "nothing is open",
        metrics(),
        (text) =>
          /^causeway_settlements\{state="open"\} 0$/m.test(text) &&
          /^causeway_settlements\{state="submitted"\} 0$/m.test(text)
      )
      assert.lengthOf(new Set(keys), keys.length)
      assert.lengthOf(keys, 6)
      const doctor = yield* runOperation("doctor", environment)
      assert.strictEqual(doctor.code, 0, `${doctor.out}${doctor.error}`)
    })))

  it.live("holds nothing on other chains while the hub is stopped, and settles once it is back", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, environment: own, executions, node, settling, startHost } = yield* startSettling(1, 1)
      const environment = { ...own, ...settling }
      const file = join(dirname(own["DATABASE_URL"]?.slice("sqlite:".length) ?? ""), "backups", "one.db")
      const first = yield* startHost(settling)
      const key = chains.users[0] ?? "0x"
      const settle = Effect.fnUntraced(function*(url: string, salt: number) {
        const begun = yield* begin(url, chains, key, "fill", salt)
        yield* pay(chains, key, begun)
        yield* ended(url, begun.quoted)
      })
      yield* settle(first.url, 7_100)
      yield* eventually("one is settled", executions, (found) => found.length === 2)
      assert.strictEqual((yield* runOperation("backup", environment, file)).code, 0)
      yield* first.kill("SIGKILL")
      assert.strictEqual((yield* runOperation("restore", environment, file)).code, 0)
      node.hang()
      const second = yield* startHost(settling)
      yield* eventually(
        "the others go on",
        Effect.sync(() => second.output()),
        (output) => output.includes("payments on alpha, beta go on")
      )
      yield* settle(second.url, 7_101)
      assert.notInclude(second.output(), "payments on hub go on")
      node.tellTheTruth()
      yield* eventually("all are settled", executions, (found) => found.length === 4)
    })))
})
