/** Time in a simulated run: the same wherever it is read. */
import { assert, describe, it } from "@effect/vitest"
import { Cache, Clock, Context, Duration, Effect, Exit, Fiber, Scheduler } from "effect"
import { START } from "./Terms.ts"
import { makeVirtualTime } from "./VirtualTime.ts"

const runVirtually = async <A>(effect: Effect.Effect<A>): Promise<A> => {
  const time = makeVirtualTime(START)
  const context = Context.make(Clock.Clock, time.clock).pipe(Context.add(Scheduler.Scheduler, time.scheduler))
  const exit = await time.run(effect, context)
  return Exit.isSuccess(exit) ? exit.value : assert.fail(String(exit.cause))
}

const cached = Effect.gen(function*() {
  let count = 0
  const cache = yield* Cache.makeWith(
    (_: string) => Effect.delay(Effect.sync(() => count += 1), 1_000),
    { capacity: 1, timeToLive: () => Duration.seconds(10) }
  )
  const first = yield* Effect.forkChild(Cache.get(cache, "key"), { startImmediately: true })
  const second = yield* Effect.forkChild(Cache.get(cache, "key"), { startImmediately: true })
  yield* Fiber.interrupt(first)
  assert.strictEqual(yield* Fiber.join(second), 1)
  yield* Effect.sleep(9_000)
  assert.strictEqual(yield* Cache.get(cache, "key"), 1)
  yield* Effect.sleep(1_000)
  return yield* Cache.get(cache, "key")
})

describe("virtual time", () => {
  it("ends what a cache keeps, also when the fiber that asked first was interrupted", async () => {
    assert.strictEqual(await runVirtually(cached), 2)
  })

  it("stands still while a long read of an adapter lets others go first, in a fiber with the machine's scheduler", async () => {
    const ops = Array.from({ length: 50_000 }, (_, nth) => nth)
    const read = Effect.promise(() => Effect.runPromise(Effect.forEach(ops, () => Effect.void, { discard: true })))
    const late = Effect.as(Effect.sleep(8_000), "late")
    for (let nth = 0; nth < 20; nth += 1) {
      assert.strictEqual(await runVirtually(Effect.raceFirst(Effect.as(read, "in time"), late)), "in time")
    }
  })

  it("is each run's own where two take turns, and leaves the machine's clock and chance as they were", async () => {
    const machine = () => [
      ...[Date, Math, Error].map((each) => Object.entries(Object.getOwnPropertyDescriptors(each))),
      globalThis.setImmediate,
      globalThis.clearImmediate
    ]
    const before = machine()
    const later = Effect.andThen(Effect.sleep(3_600_000), cached)
    assert.deepStrictEqual(await Promise.all([runVirtually(later), runVirtually(cached)]), [2, 2])
    assert.deepStrictEqual(machine(), before)
  })
})
