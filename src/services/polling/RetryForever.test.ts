import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { StoreNotices } from "../../../ports/store/operations/StoreNotices.ts"
import { PaymentsHeld } from "../../../ports/store/orders/Payments.ts"
import { alpha } from "../../domain/quote/testing/Chains.ts"
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

  /** A step that is held until it is released, how often it was tried, and notices that the test gives. */
  const heldStep = () => {
    const told = { held: true, tries: 0, heard: 0, woken: Deferred.makeUnsafe<void>() }
    const step = Effect.suspend(() => {
      told.tries += 1
      return told.held ? Effect.fail(new PaymentsHeld({ chain: alpha.slug })) : Effect.succeed("done")
    })
    const notices = Layer.succeed(StoreNotices, {
      heard: () => Effect.sync(() => told.heard),
      after: (topic, known) =>
        Effect.suspend(() => {
          assert.strictEqual(topic, "restorations")
          return told.heard > known ? Effect.void : Deferred.await(told.woken)
        })
    })
    const release = Effect.suspend(() => {
      told.held = false
      told.heard += 1
      return Deferred.succeed(told.woken, undefined)
    })
    return { told, release, run: retryForever("clock")(step).pipe(Effect.provide(notices)) }
  }

  it.effect("tries a held payment again when the restoration has ended, and not by the clock before", () =>
    Effect.gen(function*() {
      const { release, run, told } = heldStep()
      const fiber = yield* Effect.forkChild(run)
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(told.tries, 1)
      yield* release
      yield* TestClock.adjust("200 millis")
      assert.strictEqual(yield* Fiber.join(fiber), "done")
      assert.strictEqual(told.tries, 2)
    }))

  it.effect("tries a held payment again after the slow poll where the notice was lost", () =>
    Effect.gen(function*() {
      const { run, told } = heldStep()
      const fiber = yield* Effect.forkChild(run)
      yield* TestClock.adjust("9 seconds")
      told.held = false
      assert.strictEqual(told.tries, 1)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "done")
    }))
})
