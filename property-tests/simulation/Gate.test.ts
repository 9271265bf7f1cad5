/** What a caller gets of a process that is killed: nothing, and at once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeGate } from "./Gate.ts"

const makeOpen = () => makeGate(() => false)

describe("a question to a simulated process", () => {
  it.effect("is answered while the process lives", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* makeOpen().whileOpen(Effect.as(Effect.yieldNow, "answer")), "answer")
      assert.strictEqual(yield* Effect.flip(makeOpen().whileOpen(Effect.fail("refused"))), "refused")
    }))

  it.effect("ends with the process, also when neither it nor its finalizer ever would", () =>
    Effect.gen(function*() {
      const gate = makeOpen()
      let isLeft = false
      const left = Effect.andThen(Effect.sync(() => void (isLeft = true)), Effect.never)
      const asking = yield* Effect.forkChild(gate.whileOpen(Effect.ensuring(Effect.never, left)))
      yield* Effect.yieldNow
      assert.isUndefined(asking.pollUnsafe())
      gate.kill("here")
      assert.isUndefined(yield* Fiber.join(asking))
      yield* Effect.yieldNow
      assert.isTrue(isLeft)
    }))
})
