import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { poll } from "./Poll.ts"

describe("a loop", () => {
  it.effect("continues after failures and defects, and pauses as long as its turn says", () =>
    Effect.gen(function*() {
      let turns = 0
      const turn = Effect.suspend(() => {
        turns += 1
        if (turns === 2) return Effect.fail(new StoreUnavailable({ operation: "test" }))
        return turns === 3 ? Effect.die(new Error("a defect")) : Effect.succeed(turns)
      })
      const fiber = yield* Effect.forkChild(poll("watchdog", (found: number) => found < 5 ? "1 hour" : "1 day")(turn))
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual(turns, 1)
      yield* TestClock.adjust("1 minute")
      // The second turn fails, the third dies, and the fourth works: all within a few seconds of each other.
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(turns, 4)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(turns, 5)
      yield* TestClock.adjust("23 hours")
      assert.strictEqual(turns, 5)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(turns, 6)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("10 days")
      assert.strictEqual(turns, 6)
    }))
})
