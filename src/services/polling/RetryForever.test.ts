import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { retryForever } from "./RetryForever.ts"

/** Fails in the given ways, one after the other, then succeeds; counts how often it was run. */
const failing = (ways: ReadonlyArray<"transient" | "defect">) => {
  let runs = 0
  const step = Effect.suspend(() => {
    const way = ways[runs]
    runs += 1
    if (way === "transient") return Effect.fail(new StoreUnavailable({ operation: "test" }))
    return way === "defect" ? Effect.die(new Error("a defect")) : Effect.succeed("done")
  })
  return { step, runs: () => runs }
}

const finishes = (ways: ReadonlyArray<"transient" | "defect">) =>
  Effect.gen(function*() {
    const { runs, step } = failing(ways)
    const fiber = yield* Effect.forkChild(retryForever("clock")(step))
    yield* TestClock.adjust("30 minutes")
    assert.strictEqual(yield* Fiber.join(fiber), "done")
    assert.strictEqual(runs(), ways.length + 1)
  })

describe("retryForever", () => {
  it.effect("outlasts any number of transient failures", () => finishes(Array.from({ length: 100 }, () => "transient")))
  it.effect("outlasts defects, so that no step is lost to one", () =>
    finishes(["defect", "transient", "defect", "defect"]))
  it.effect("waits briefly after each failure that follows many successful checks", () =>
    Effect.gen(function*() {
      let runs = 0
      const step = Effect.suspend(() => {
        runs += 1
        return Effect.andThen(Effect.sleep("2 seconds"), Effect.fail(new StoreUnavailable({ operation: "test" })))
      })
      const fiber = yield* Effect.forkChild(retryForever("clock")(step))
      yield* TestClock.adjust("63 seconds")
      yield* Fiber.interrupt(fiber)
      assert.isAtLeast(runs, 28)
    }))
  it.effect("can be interrupted while it waits", () =>
    Effect.gen(function*() {
      const { runs, step } = failing(Array.from({ length: 1000 }, () => "transient"))
      const fiber = yield* Effect.forkChild(retryForever("clock")(step))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      const after = runs()
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(runs(), after)
    }))
})
