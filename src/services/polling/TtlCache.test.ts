import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeTtlCache } from "./TtlCache.ts"

describe("a TTL cache", () => {
  it.effect("returns an entry until it is too old; failures and entries beyond the capacity are requested again", () =>
    Effect.gen(function*() {
      let asked = 0
      const count = Effect.sync(() => asked += 1)
      const recent = makeTtlCache<number>({ maxAge: 1_000, capacity: 2 })
      assert.deepStrictEqual([yield* recent("a", count), yield* recent("a", count)], [1, 1])
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(yield* recent("a", count), 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* recent("a", count), 2)

      assert.strictEqual(yield* Effect.flip(recent("b", Effect.fail("no"))), "no")
      assert.strictEqual(yield* recent("b", count), 3)
      assert.deepStrictEqual([yield* recent("c", count), yield* recent("a", count)], [4, 5])
      assert.deepStrictEqual([yield* recent("c", count), yield* recent("b", count)], [4, 6])

      const never = makeTtlCache<number>({ maxAge: 0, capacity: 2 })
      assert.deepStrictEqual([yield* never("a", count), yield* never("a", count)], [7, 8])
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
