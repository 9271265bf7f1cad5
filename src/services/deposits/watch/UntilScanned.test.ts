/** A wait for a scan reads the store when its chain has moved, not by the clock. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { alpha } from "../../../domain/quote/testing/Chains.ts"
import { Followers } from "../../following/Followers.ts"
import { untilScanned } from "./UntilScanned.ts"

/** A chain that moves only when the test says so, and what reads of its cursor show. */
const world = () => {
  const now = { reads: 0, height: undefined as bigint | undefined, moved: Deferred.makeUnsafe<void>() }
  const layer = Layer.mergeAll(
    Layer.succeed(Followers, {
      seen: () => Effect.succeed({ version: 0, finalHeight: -1n, head: undefined }),
      moved: () => Effect.suspend(() => Deferred.await(now.moved)),
      waitedAt: () => Effect.undefined
    }),
    Layer.mock(Deposits, {
      cursor: () =>
        Effect.sync(() => {
          now.reads += 1
          return now.height === undefined ? undefined : { height: now.height, hash: "0x" }
        })
    })
  )
  const move = Effect.suspend(() => {
    const { moved } = now
    now.moved = Deferred.makeUnsafe<void>()
    return Effect.andThen(Deferred.succeed(moved, undefined), TestClock.adjust("1 millis"))
  })
  return { now, move, waiting: Effect.forkChild(untilScanned(alpha, 7n).pipe(Effect.provide(layer))) }
}

describe("the wait for a scan", () => {
  it.effect("reads once for each move of its chain, however long it stands still, and ends at the height", () =>
    Effect.gen(function*() {
      const { move, now, waiting } = world()
      const wait = yield* waiting
      yield* TestClock.adjust("1 day")
      assert.strictEqual(now.reads, 1)
      for (const [index, height] of [undefined, 3n, 6n].entries()) {
        now.height = height
        yield* move
        assert.strictEqual(now.reads, index + 2)
        assert.isUndefined(wait.pollUnsafe())
      }
      now.height = 8n
      yield* move
      yield* Fiber.join(wait)
      assert.strictEqual(now.reads, 5)
    }))

  it.effect("ends at once where the scan has passed", () =>
    Effect.gen(function*() {
      const { now, waiting } = world()
      now.height = 7n
      yield* Fiber.join(yield* waiting)
      assert.strictEqual(now.reads, 1)
    }))
})
