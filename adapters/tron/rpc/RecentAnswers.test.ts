import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { remembering } from "./RecentAnswers.ts"
import type { TronNode } from "./TronNode.ts"

const AGE = 1_000

/** A node that answers with how often it was asked, after `first`. */
const countingNode = (first: Effect.Effect<unknown, ReadFault> = Effect.void) => {
  let asked = 0
  const node: TronNode = {
    jsonRpc: () => Effect.fail("refused"),
    solidity: () => Effect.fail("refused"),
    wallet: () =>
      Effect.suspend(() => {
        asked += 1
        return asked === 1 ? Effect.as(first, asked) : Effect.succeed(asked)
      })
  }
  return node
}

const account = (address: string) => ["getaccount", { address, visible: true }, 4_000] as const

describe("a Tron node whose answers are remembered", () => {
  it.effect("is asked once for the same within the time, and again after it; for anything else each time", () =>
    Effect.gen(function*() {
      const { wallet } = yield* remembering(countingNode(), AGE, 4_000)
      const ask = wallet(...account("one"))
      assert.deepStrictEqual([yield* ask, yield* ask], [1, 1])
      assert.strictEqual(yield* wallet(...account("two")), 2)
      assert.strictEqual(yield* wallet("triggerconstantcontract", account("one")[1], 4_000), 3)
      yield* TestClock.adjust(AGE)
      assert.strictEqual(yield* ask, 4)
    }))

  it.effect("is asked once by all who ask at the same time", () =>
    Effect.gen(function*() {
      const answer = yield* Deferred.make<void>()
      const { wallet } = yield* remembering(countingNode(Deferred.await(answer)), AGE, 4_000)
      const ask = wallet(...account("one"))
      const asking = yield* Effect.forkChild(Effect.all([ask, ask, ask], { concurrency: "unbounded" }))
      yield* Effect.yieldNow
      yield* Deferred.succeed(answer, undefined)
      assert.deepStrictEqual(yield* Fiber.join(asking), [1, 1, 1])
    }))

  it.effect("is asked again after a failure", () =>
    Effect.gen(function*() {
      const { wallet } = yield* remembering(countingNode(Effect.fail("timeout")), AGE, 4_000)
      const ask = wallet(...account("one"))
      assert.strictEqual(yield* Effect.flip(ask), "timeout")
      assert.strictEqual(yield* ask, 2)
    }))

  it.effect("is asked each time where nothing may be old", () =>
    Effect.gen(function*() {
      const { wallet } = yield* remembering(countingNode(), 0, 4_000)
      const ask = wallet(...account("one"))
      assert.deepStrictEqual([yield* ask, yield* ask], [1, 2])
    }))
})
