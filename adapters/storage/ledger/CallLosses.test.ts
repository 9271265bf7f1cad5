/** What reverted calls may cost in a day, in total and for one sender, on both engines. */
import { assert, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { CALL_LOSSES_WINDOW_MS, CallLosses } from "../../../ports/store/ledger/CallLosses.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { layerMigrations } from "../engine/Migrations.ts"
import { LISTENING, Notices } from "../engine/notices/Notices.ts"
import { migrations } from "../migrations/index.ts"
import { describeEngines } from "../testing/engines.ts"
import { describeStores } from "../testing/stores.ts"
import * as SqlCallLosses from "./CallLosses.ts"

const caps = { all: 100n, sender: 60n }
const start = 1_800_000_000_000
const lossOf = (order: number, sender: string, usdMicros: bigint) => ({
  orderId: OrderId.make(`0x${order.toString(16).padStart(64, "0")}`),
  sender: Address.make(`0x${sender.repeat(40)}`),
  usdMicros
})
const codeOf = (order: number, sender: string, usdMicros: bigint) =>
  ({ ...lossOf(order, sender, usdMicros), kind: "calls" }) as const
const swapOf = (order: number, sender: string, usdMicros: bigint) =>
  ({ ...lossOf(order, sender, usdMicros), kind: "swap" }) as const

describeStores(({ test }) => {
  test(
    "losses by calls fit under both caps, once for each order, for a day, and count by their actual amount",
    Effect.gen(function*() {
      const losses = yield* CallLosses
      assert.isTrue(yield* losses.reserve(codeOf(1, "a", 50n), caps, start))
      // A second call for one order counts once, and one sender's share does not count for another.
      assert.isTrue(yield* losses.reserve(codeOf(1, "a", 60n), caps, start))
      assert.isFalse(yield* losses.reserve(codeOf(2, "a", 1n), caps, start))
      assert.isTrue(yield* losses.reserve(codeOf(2, "b", 40n), caps, start))
      assert.isFalse(yield* losses.reserve(codeOf(3, "c", 1n), caps, start))
      assert.strictEqual(yield* losses.spent(start), 100n)
      // A fill that succeeded has cost nothing; a reverted one counts with its cost, whatever the cap is.
      yield* losses.settle(lossOf(1, "a", 0n), start)
      assert.strictEqual(yield* losses.spent(start), 40n)
      yield* losses.settle(lossOf(4, "d", 70n), start)
      assert.isFalse(yield* losses.reserve(codeOf(3, "c", 1n), caps, start))
      const nextDay = start + CALL_LOSSES_WINDOW_MS
      assert.strictEqual(yield* losses.spent(nextDay), 0n)
      assert.isTrue(yield* losses.reserve(codeOf(3, "c", 60n), caps, nextDay))
    })
  )

  test(
    "swaps in flight have a room of their own, which what has happened takes from both, and a signed one is replaced",
    Effect.gen(function*() {
      const losses = yield* CallLosses
      const signed = (n: number, sender: string, usdMicros: bigint) =>
        losses.reserve({ ...lossOf(n, sender, usdMicros), kind: "signed-swap" }, caps, start)
      assert.isTrue(yield* losses.reserve(swapOf(1, "a", 50n), caps, start))
      // One sender has half of it, and calls take none of it.
      assert.isFalse(yield* losses.reserve(swapOf(2, "a", 1n), caps, start))
      assert.isTrue(yield* losses.reserve(codeOf(3, "a", 60n), caps, start))
      assert.isTrue(yield* losses.reserve(swapOf(4, "b", 50n), caps, start))
      assert.isFalse(yield* losses.reserve(swapOf(5, "c", 1n), caps, start))
      assert.isTrue(yield* losses.reserve(codeOf(6, "c", 40n), caps, start))
      assert.strictEqual(yield* losses.spent(start), 100n)
      // Whatever is in flight, and it counts with its new cost.
      assert.isTrue(yield* signed(4, "b", 500n))
      yield* losses.settle(lossOf(1, "a", 0n), start)
      assert.isFalse(yield* losses.reserve(swapOf(5, "c", 1n), caps, start))
      yield* losses.settle(lossOf(4, "b", 60n), start)
      assert.isTrue(yield* losses.reserve(swapOf(5, "c", 40n), caps, start))
      assert.isFalse(yield* losses.reserve(swapOf(7, "d", 1n), caps, start))
      assert.isFalse(yield* losses.reserve(codeOf(8, "d", 1n), caps, start))
      // What has happened refuses: a sender's part is lost, or all of it.
      assert.isFalse(yield* signed(9, "b", 1n))
      assert.isTrue(yield* signed(5, "c", 1n))
      yield* losses.settle(lossOf(6, "c", 40n), start)
      assert.isFalse(yield* signed(5, "c", 1n))
      yield* losses.settle(lossOf(4, "b", 0n), start)
      assert.isTrue(yield* signed(5, "c", 1n))
      // Code of an order that has lost something counts as if it had happened.
      const again = { ...lossOf(3, "a", 50n), kind: "calls-after-loss" } as const
      assert.isTrue(yield* losses.reserve(again, caps, start))
      assert.isFalse(yield* losses.reserve(swapOf(10, "e", 11n), caps, start))
      assert.isTrue(yield* losses.reserve(swapOf(10, "e", 9n), caps, start))
      // One that is larger than its room is made alone, a day later too.
      const nextDay = start + CALL_LOSSES_WINDOW_MS
      assert.isTrue(yield* losses.reserve(swapOf(11, "f", 1_000n), caps, nextDay))
      assert.isFalse(yield* losses.reserve(swapOf(12, "g", 1n), caps, nextDay))
    })
  )

  test(
    "concurrent reservations see each other",
    Effect.gen(function*() {
      const losses = yield* CallLosses
      const all = yield* Effect.forEach(
        [1, 2, 3, 4, 5, 6],
        (n) => losses.reserve(codeOf(n, `${n}`, 40n), caps, start),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(all.filter((fits) => fits), 2)
    })
  )
})

describeStores(({ test }) => {
  test(
    "what a process has reserved and settled itself, it knows at once",
    Effect.gen(function*() {
      const losses = yield* CallLosses
      const at = yield* Clock.currentTimeMillis
      assert.strictEqual(yield* losses.recentlySpent, 0n)
      yield* losses.reserve(codeOf(1, "a", 50n), caps, at)
      assert.strictEqual(yield* losses.recentlySpent, 50n)
      yield* losses.settle(lossOf(1, "a", 40n), at)
      assert.strictEqual(yield* losses.recentlySpent, 40n)
      yield* losses.settle(lossOf(1, "a", 0n), at)
      assert.strictEqual(yield* losses.recentlySpent, 0n)
    })
  )
})

describeEngines((_, engine) => {
  const fresh = SqlCallLosses.layer.pipe(Layer.provideMerge(layerMigrations(migrations)), Layer.provideMerge(engine))

  // The clock stands still: nothing becomes too old.
  it.live(
    "another process's loss is known by its notice",
    () =>
      Effect.gen(function*() {
        const own = yield* CallLosses
        const other = Context.get(yield* Layer.build(Layer.fresh(SqlCallLosses.layer)), CallLosses)
        const becomes = (usdMicros: bigint) => Effect.repeat(own.recentlySpent, { until: (now) => now === usdMicros })
        yield* becomes(0n)
        yield* other.reserve(codeOf(1, "a", 50n), caps, 0)
        yield* other.settle(lossOf(1, "a", 40n), 0)
        yield* becomes(40n)
        // The connection counted as the first notice, or came before it.
        yield* other.settle(lossOf(1, "a", 30n), 0)
        yield* becomes(30n)
      }).pipe(Effect.scoped, Effect.provide(Layer.merge(fresh, TestClock.layer()))),
    30_000
  )

  it.live("when notices are lost, what is known of another process is ten seconds old at most, and decides no reservation", () =>
    Effect.gen(function*() {
      const other = yield* CallLosses
      const isListening = yield* Deferred.make<void>()
      /** Hears that it listens, and nothing else. */
      const subscribe = Effect.sync(() => {
        const words = [LISTENING]
        return Effect.suspend(() => {
          const word = words.pop()
          return word === undefined
            ? Effect.andThen(Deferred.succeed(isListening, undefined), Effect.never)
            : Effect.succeed([word])
        })
      })
      const deaf = Layer.fresh(SqlCallLosses.layer).pipe(Layer.provide(Layer.succeed(Notices, { subscribe })))
      const own = Context.get(yield* Layer.build(deaf), CallLosses)
      yield* Deferred.await(isListening)
      assert.strictEqual(yield* own.recentlySpent, 0n)
      yield* other.settle(lossOf(1, "a", 60n), 0)
      yield* TestClock.setTime(9_999)
      assert.strictEqual(yield* own.recentlySpent, 0n)
      yield* TestClock.setTime(10_000)
      assert.strictEqual(yield* own.recentlySpent, 60n)
      yield* other.settle(lossOf(1, "a", 100n), 0)
      assert.strictEqual(yield* own.recentlySpent, 60n)
      assert.isFalse(yield* own.reserve(codeOf(2, "b", 1n), caps, 10_000))
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(fresh, TestClock.layer()))))
})
