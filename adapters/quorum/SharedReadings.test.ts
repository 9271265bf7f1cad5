/** Concurrent questions share a reading, which ends with its last caller, and is never used for a later question. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { SharedReadings } from "./SharedReadings.ts"

/** Readings that end as they are told to. */
const makeReadings = () => {
  const readings = new SharedReadings<number, string>()
  const begun: Array<Deferred.Deferred<number, string>> = []
  const seen = { cancelled: 0 }
  const read = Effect.suspend(() => {
    const end = Deferred.makeUnsafe<number, string>()
    begun.push(end)
    return Effect.onInterrupt(Deferred.await(end), () =>
      Effect.sync(() => {
        seen.cancelled += 1
      }))
  })
  const ask = Effect.forkChild(readings.get("one", read), { startImmediately: true })
  return { ask, begun, seen, read, readings }
}

describe("readings that questions share", () => {
  it.effect("answer all callers, and the next question is read anew", () =>
    Effect.gen(function*() {
      const { ask, begun } = makeReadings()
      for (let turn = 1; turn <= 2; turn += 1) {
        const callers = yield* Effect.all([ask, ask, ask])
        assert.lengthOf(begun, turn)
        yield* Deferred.succeed(begun[turn - 1] ?? assert.fail("it was not begun"), turn)
        assert.deepStrictEqual(yield* Fiber.joinAll(callers), [turn, turn, turn])
      }
    }))

  it.effect("fail for all callers alike, and keep no failure", () =>
    Effect.gen(function*() {
      const { ask, begun } = makeReadings()
      const callers = yield* Effect.all([ask, ask])
      yield* Deferred.fail(begun[0] ?? assert.fail("it was not begun"), "no")
      for (const each of callers) assert.deepStrictEqual(yield* Fiber.await(each), Exit.fail("no"))
      yield* ask
      assert.lengthOf(begun, 2)
    }))

  it.effect("go on when the first caller leaves, and are cancelled when the last one does", () =>
    Effect.gen(function*() {
      const { ask, begun, seen } = makeReadings()
      const [first, second] = yield* Effect.all([ask, ask])
      yield* Fiber.interrupt(first)
      assert.strictEqual(seen.cancelled, 0)
      const third = yield* ask
      yield* Deferred.succeed(begun[0] ?? assert.fail("it was not begun"), 7)
      assert.deepStrictEqual(yield* Fiber.joinAll([second, third]), [7, 7])
      const [fourth, fifth] = yield* Effect.all([ask, ask])
      yield* Fiber.interrupt(fourth)
      yield* Fiber.interrupt(fifth)
      assert.deepStrictEqual([begun.length, seen.cancelled], [2, 1])
      yield* ask
      assert.lengthOf(begun, 3, "no question joins a reading that was cancelled")
    }))

  it.effect("that end at once answer at once", () =>
    Effect.gen(function*() {
      const readings = new SharedReadings<number, never>()
      assert.strictEqual(yield* readings.get("one", Effect.succeed(1)), 1)
      assert.strictEqual(yield* readings.get("one", Effect.succeed(2)), 2)
    }))
})
