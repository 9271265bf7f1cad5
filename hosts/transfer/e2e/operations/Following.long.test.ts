/** A submission to a hub is followed to its end, whatever the configuration is then, and rechecked after it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { DatabaseSync } from "node:sqlite"
import type { Hex } from "viem"
import { begin, pay } from "../crash/testing/Scenarios.ts"
import { ended, reader } from "../../testing/Client.ts"
import { pooled } from "../../testing/FeePressure.ts"
import { alarms, eventually, holdMining, orderIdOf, resumeMining } from "../../testing/Misbehaving.ts"
import { runOperation } from "../../testing/RunOperation.ts"
import { startSettling } from "../../testing/SettlingNetwork.ts"

const Settlements = Schema.Struct({
  requests: Schema.Array(
    Schema.Struct({ data: Schema.Struct({ settlements: Schema.Array(Schema.Struct({ state: Schema.String })) }) })
  )
})

const statesOf = (url: string, order: Hex) =>
  Effect.promise(async () =>
    Schema.decodeUnknownSync(Settlements)(await (await fetch(`${url}/requests?orderId=${order}`)).json()).requests
      .flatMap(({ data }) => data.settlements.map(({ state }) => state))
  )

/** Makes enough time pass that everything settled is rechecked. */
const lookAgainNow = (environment: Readonly<Record<string, string>>) =>
  Effect.sync(() => {
    const store = new DatabaseSync(environment["DATABASE_URL"]?.slice("sqlite:".length) ?? "")
    const { changes } = store.prepare(
      "UPDATE settlements SET check_at = 1 WHERE state = 'settled' AND check_at IS NOT NULL"
    ).run()
    store.close()
    return Number(changes)
  })

/** The store's submissions: whether each is still followed, and whether it has returned its slot. */
const kept = (environment: Readonly<Record<string, string>>) =>
  Effect.sync(() => {
    const store = new DatabaseSync(environment["DATABASE_URL"]?.slice("sqlite:".length) ?? "", { readOnly: true })
    const rows = store.prepare("SELECT state, placed_at IS NOT NULL AS placed FROM submissions").all()
    store.close()
    return rows.map(({ placed, state }) => `${String(state)}${placed === 1 ? " placed" : ""}`)
  })

describe("a submission to the hub", () => {
  it.live("is tracked while settling is off, reported when its hub is not configured, and made again after a reorg past finality", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, environment, executions, hub, settling, startHost } = yield* startSettling(1, 1)
      const { HUB_ALLOCATOR, HUB_RPC_URL } = settling
      const first = yield* startHost(settling)
      yield* holdMining(hub)
      const begun = yield* begin(first.url, chains, chains.users[0] ?? "0x", "fill", 8_000)
      yield* pay(chains, chains.users[0] ?? "0x", begun)
      yield* ended(first.url, begun.quoted)
      const order = orderIdOf(begun.quoted)
      yield* eventually("it is submitted", pooled(hub, chains.solver), (waiting) => waiting.length === 1)
      yield* first.kill("SIGKILL")

      const strange = yield* startHost()
      yield* eventually("somebody is told", alarms(strange.url, "submission-unfollowed"), (count) => count === 1)
      const doctor = yield* runOperation("doctor", environment)
      assert.strictEqual(doctor.code, 1, `${doctor.out}${doctor.error}`)
      assert.include(doctor.out, `submission-unfollowed: submission 0x`)
      yield* strange.kill("SIGKILL")

      const off = yield* startHost({ HUB_RPC_URL, HUB_ALLOCATOR })
      assert.include(off.output(), "settling is off")
      assert.deepStrictEqual(yield* kept(environment), ["open"])
      yield* hub.mine(1)
      yield* eventually(
        "it makes room as soon as it is in a block",
        kept(environment),
        ([first]) => first === "open placed"
      )
      assert.deepStrictEqual(yield* statesOf(off.url, order), ["submitted"])
      yield* hub.mine(3)
      yield* eventually("it is followed to its end", statesOf(off.url, order), ([state]) => state === "settled")
      assert.strictEqual(yield* alarms(off.url, "submission-unfollowed"), 0)
      assert.strictEqual((yield* runOperation("doctor", { ...environment, HUB_RPC_URL, HUB_ALLOCATOR })).code, 0)
      yield* off.kill("SIGKILL")

      // All its executions are gone, from below the final block.
      const height = yield* hub.height
      yield* hub.reorg(Number(height) - 1 < 5 ? Number(height) - 1 : 5)
      assert.lengthOf(yield* executions, 0)
      yield* hub.mine(4)
      assert.strictEqual(yield* lookAgainNow(environment), 1)
      const second = yield* startHost(settling)
      yield* eventually("it is found out", alarms(second.url, "settlement-undone"), (count) => count === 1)
      yield* eventually("it is made again", pooled(hub, chains.solver), (waiting) => waiting.length === 1)
      yield* resumeMining(hub)
      yield* eventually("it is settled again", statesOf(second.url, order), ([state]) => state === "settled")
      assert.lengthOf(yield* executions, 2)
      assert.strictEqual(yield* Effect.promise(() => reader(hub).getTransactionCount({ address: chains.solver })), 1)
      yield* second.kill("SIGKILL")

      // At the next recheck it stands.
      assert.strictEqual(yield* lookAgainNow(environment), 1)
      const third = yield* startHost(settling)
      yield* Effect.sleep("3 seconds")
      assert.deepStrictEqual(yield* statesOf(third.url, order), ["settled"])
      assert.strictEqual(yield* alarms(third.url, "settlement-undone"), 0)
      yield* third.kill("SIGKILL")
      assert.lengthOf(yield* executions, 2)
    })))
})
