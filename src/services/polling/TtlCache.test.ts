import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeTtlCache } from "./TtlCache.ts"

describe("a TTL cache", () => {
  it.effect("returns an entry until it is too old; failures and entries beyond the capacity are requested again", () =>
    Effect.gen(function*() {
      let asked = 0
      const count = Effect.sync(() => asked += 1)
      const recent = makeTtlCache<number>({ maxAge: 1_000, capacity: 2 })
      assert.deepStrictEqual([yield* recent("a", count), yield* recent("a", count)], [1, 1])
      yield* TestClock.adjust("749 millis")
      assert.strictEqual(yield* recent("a", count), 1)
      yield* TestClock.adjust("251 millis")
      assert.strictEqual(yield* recent("a", count), 2)

      assert.strictEqual(yield* Effect.flip(recent("b", Effect.fail("no"))), "no")
      assert.strictEqual(yield* recent("b", count), 3)
      assert.deepStrictEqual([yield* recent("c", count), yield* recent("a", count)], [4, 5])
      assert.deepStrictEqual([yield* recent("c", count), yield* recent("b", count)], [4, 6])

      const never = makeTtlCache<number>({ maxAge: 0, capacity: 2 })
      assert.deepStrictEqual([yield* never("a", count), yield* never("a", count)], [7, 8])
    }))

  it.effect("renews an entry past three quarters of its age, once, while those who ask get it", () =>
    Effect.gen(function*() {
      const recent = makeTtlCache<number>({ maxAge: 1_000, capacity: 2 })
      const asked = { times: 0 }
      const next = yield* Deferred.make<number, string>()
      const ask = Effect.suspend(() => {
        asked.times += 1
        return asked.times === 1 ? Effect.succeed(1) : Deferred.await(next)
      })
      const known = Effect.map(Clock.currentTimeMillis, (now) => recent.known("a", now))
      yield* recent("a", ask)
      yield* TestClock.adjust("749 millis")
      assert.isDefined(yield* known)
      yield* TestClock.adjust("1 millis")
      assert.isUndefined(yield* known, "somebody has to ask")
      assert.deepStrictEqual([yield* recent("a", ask), yield* recent("a", ask)], [1, 1])
      yield* Effect.yieldNow
      assert.strictEqual(asked.times, 2)
      assert.isDefined(yield* known)
      yield* Deferred.succeed(next, 2)
      yield* Effect.yieldNow
      assert.strictEqual(yield* recent("a", ask), 2)
      yield* TestClock.adjust("749 millis")
      assert.strictEqual(yield* recent("a", ask), 2, "its age counts from when it was asked for")
    }))

  it.effect("does not ask again ahead of the age after a failure, and lets it be seen at the age", () =>
    Effect.gen(function*() {
      const recent = makeTtlCache<number>({ maxAge: 1_000, capacity: 2 })
      const failing = { times: 0 }
      const fail = Effect.suspend(() => {
        failing.times += 1
        return Effect.fail("no")
      })
      yield* recent("a", Effect.succeed(1))
      yield* TestClock.adjust("800 millis")
      for (let turn = 0; turn < 3; turn += 1) {
        assert.strictEqual(yield* recent("a", fail), 1)
        yield* Effect.yieldNow
      }
      assert.strictEqual(failing.times, 1)
      yield* TestClock.adjust("200 millis")
      assert.strictEqual(yield* Effect.flip(recent("a", fail)), "no")
    }))

  it.effect("dates an entry by its request, not by its answer", () =>
    Effect.gen(function*() {
      const recent = makeTtlCache<string>({ maxAge: 1_000, capacity: 2 })
      const slow = Effect.as(TestClock.adjust("600 millis"), "slow")
      assert.strictEqual(yield* recent("a", slow), "slow")
      yield* TestClock.adjust("400 millis")
      assert.strictEqual(yield* recent("a", Effect.succeed("new")), "new")
    }))
})
