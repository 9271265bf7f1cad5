/** Whoever waits for a chain is woken by its follower, once the chain has moved and at the slow bound in any case. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Heads } from "../../../ports/chain/DepositWatcher.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { alpha } from "../../domain/quote/testing/Chains.ts"
import { pollInterval } from "../polling/PollInterval.ts"
import { Followers, layer, slowBound } from "./Followers.ts"
import { found, lookUntil, whenFinal, whenMoved, whenMovedBeyond } from "./LookUntil.ts"

/** The slow bound is an hour: what ends earlier was woken. */
const chain: Chain = { ...alpha, blockTimeMs: 1_800_000 }
const INTERVAL = Duration.toMillis(pollInterval(chain))
const SLOW = Duration.toMillis(slowBound(chain))

const headsAt = (height: bigint, unfinal = 5n): Heads => ({
  height,
  hash: `0x${height}`,
  finalHeight: height - unfinal
})

/** A follower of a chain that `read` says, and how often it was asked. */
const following = (read: () => Effect.Effect<Heads, ChainUnavailable>) => {
  const asked = { times: 0 }
  const watcher = Layer.mock(DepositWatcher, {
    heads: () =>
      Effect.suspend(() => {
        asked.times += 1
        return read()
      })
  })
  return { asked, followers: layer.pipe(Layer.provide(watcher)) }
}

/** Lets time pass in small steps: whatever is due runs before the next. */
const pass = Effect.fnUntraced(function*(milliseconds: number, step: number = 50) {
  for (let passed = 0; passed < milliseconds; passed += step) yield* TestClock.adjust(step)
})

interface Interleaving {
  /** When the chain gets its next blocks, milliseconds. */
  readonly blocks: ReadonlyArray<number>
  /** How long an endpoint takes to say its heads, milliseconds. */
  readonly latency: number
  /** When they begin to wait, for how many blocks, and how long each look takes. */
  readonly waits: ReadonlyArray<{ readonly from: number; readonly blocks: number; readonly look: number }>
}

const interleavings: fc.Arbitrary<Interleaving> = fc.record({
  blocks: fc.array(fc.integer({ min: 0, max: 12_000 }), { minLength: 1, maxLength: 6 }).map((all) =>
    all.toSorted((one, other) => one - other)
  ),
  latency: fc.integer({ min: 0, max: 3_000 }),
  waits: fc.array(
    fc.record({
      from: fc.integer({ min: 0, max: 12_000 }),
      blocks: fc.integer({ min: 1, max: 6 }),
      look: fc.integer({ min: 0, max: 3_000 })
    }),
    { minLength: 1, maxLength: 6 }
  )
})

/** A look tells what was so when it began: the latest word that an honest endpoint may have. */
const looking = <A>(milliseconds: number, read: () => A) =>
  Effect.flatMap(Effect.sync(read), (was) => Effect.as(Effect.sleep(milliseconds), was))

const lateness = ({ blocks, latency, waits }: Interleaving, kind: "moved" | "final") =>
  Effect.gen(function*() {
    let height = 5n
    const { followers } = following(() => looking(latency, () => headsAt(height)))
    const context = yield* Layer.build(followers)
    const late: Array<number> = []
    yield* Effect.forkScoped(Effect.forEach(blocks, (at, index) =>
      Effect.andThen(
        Effect.sleep(at - (blocks[index - 1] ?? 0)),
        Effect.sync(() => {
          height += 1n
        })
      )))
    for (const wait of waits) {
      const wanted = Math.min(wait.blocks, blocks.length)
      const there = Math.max(wait.from, blocks[wanted - 1] ?? 0)
      const target = BigInt(wanted) + (kind === "moved" ? 5n : 0n)
      const isThere = () => (kind === "moved" ? height : headsAt(height).finalHeight) >= target
      yield* Effect.sleep(wait.from).pipe(
        Effect.andThen(lookUntil(chain, () =>
          Effect.map(looking(wait.look, isThere), (is) =>
            is ? found("there" as const) : kind === "moved" ? whenMoved : whenFinal(target)))),
        Effect.andThen(Clock.currentTimeMillis),
        Effect.map((now) => {
          // A reading that began before the block, a pause, a reading, a look that began before it, and a look.
          late.push(now - there - (2 * latency + INTERVAL + 2 * wait.look))
        }),
        Effect.provide(context),
        Effect.forkScoped
      )
    }
    yield* pass(40_000)
    return late
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))

describe("the follower of a chain", () => {
  for (const kind of ["moved", "final"] as const) {
    it.effect(
      `loses no wake-up, however blocks, looks and waits interleave: ${kind}`,
      () =>
        Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(interleavings, async (interleaving) => {
              const late = await Effect.runPromise(lateness(interleaving, kind))
              assert.lengthOf(late, interleaving.waits.length)
              for (const each of late) assert.isAtMost(each, 10)
            }),
            { numRuns: inputs(60, 2_000) }
          )
        )
    )
  }

  it.effect("costs one read a poll interval, however many wait, and nothing before the first one waits", () =>
    Effect.gen(function*() {
      let height = 5n
      const { asked, followers } = following(() => Effect.sync(() => headsAt(height)))
      const context = yield* Layer.build(followers)
      yield* pass(10 * INTERVAL, INTERVAL)
      assert.strictEqual(asked.times, 0)
      let looks = 0
      const waits = yield* Effect.forEach(Array.from({ length: 1_000 }), () =>
        Effect.forkChild(Effect.provide(
          lookUntil(chain, () =>
            Effect.sync(() => {
              looks += 1
              return headsAt(height).finalHeight >= 3n ? found("final") : whenFinal(3n)
            })),
          context
        )))
      // Blocks that make nothing of theirs final wake none of them.
      for (const next of [6n, 7n]) {
        height = next
        yield* pass(5 * INTERVAL, INTERVAL)
      }
      assert.strictEqual(looks, 1_000)
      assert.isAtMost(asked.times, 11)
      height = 8n
      yield* pass(2 * INTERVAL, INTERVAL)
      assert.deepStrictEqual(new Set(yield* Effect.forEach(waits, Fiber.join)), new Set(["final"]))
      assert.strictEqual(looks, 2_000)
    }))

  it.effect("asks an idle chain of a steady pace half as often, and is no later for it", () =>
    Effect.gen(function*() {
      const steady = { ...alpha, blockTimeMs: 1_000 }
      const interval = Duration.toMillis(pollInterval(steady))
      let height = 0n
      const { asked, followers } = following(() => Effect.sync(() => headsAt(height)))
      const context = yield* Layer.build(followers)
      const late: Array<number> = []
      let minedAt = 0
      const mine = Effect.gen(function*() {
        minedAt = yield* Clock.currentTimeMillis
        height += 1n
      })
      yield* Effect.forkChild(Effect.forever(Effect.andThen(Effect.sleep(1_000), mine)))
      const seen = new Set<bigint>()
      const look = Effect.gen(function*() {
        if (!seen.has(height)) late.push((yield* Clock.currentTimeMillis) - minedAt)
        seen.add(height)
        return whenMoved
      })
      yield* Effect.forkChild(Effect.provide(lookUntil(steady, () => look, "watches"), context))
      yield* pass(20_000, 10)
      asked.times = 0
      late.length = 0
      yield* pass(60_000, 10)
      assert.isAtMost(asked.times, 60 * 3)
      assert.isAtLeast(late.length, 59)
      for (const each of late) assert.isAtMost(each, interval + 10)

      // A block out of turn is seen within three quarters of a block, and at once while somebody waits.
      const outOfTurn = Effect.gen(function*() {
        const times = late.length
        yield* mine
        yield* pass(1_000, 10)
        return Math.max(...late.slice(times))
      })
      assert.isAtMost(yield* outOfTurn, 0.75 * 1_000 + interval + 10)
      yield* pass(40_000, 10)
      const followersOf = Context.get(context, Followers)
      yield* followersOf.seen(steady, "waits")
      yield* pass(300, 10)
      asked.times = 0
      assert.isAtMost(yield* outOfTurn, interval + 10)
      assert.isAtLeast(asked.times, 1_000 / interval - 1)
    }))

  it.effect("wakes many in portions, so that their reads reach the endpoints as a stream", () =>
    Effect.gen(function*() {
      let height = 5n
      const { followers } = following(() => Effect.sync(() => headsAt(height)))
      const context = yield* Layer.build(followers)
      const looks = new Map<number, number>()
      yield* Effect.forEach(Array.from({ length: 300 }), () =>
        Effect.forkChild(Effect.provide(
          lookUntil(chain, () =>
            Effect.map(Clock.currentTimeMillis, (now) => {
              looks.set(now, (looks.get(now) ?? 0) + 1)
              return height > 5n ? found("moved") : whenMoved
            })),
          context
        )))
      yield* pass(2 * INTERVAL)
      looks.clear()
      height = 6n
      yield* pass(2 * INTERVAL, 5)
      const portions = [...looks.values()]
      assert.strictEqual(portions.reduce((sum, each) => sum + each, 0), 300)
      assert.isAtMost(Math.max(...portions), 64)
    }))

  it.effect("reads heads alone while its chain is idle, and ends with its scope", () =>
    Effect.gen(function*() {
      const { asked, followers } = following(() => Effect.succeed(headsAt(5n)))
      let looks = 0
      yield* Effect.scoped(Effect.gen(function*() {
        const context = yield* Layer.build(followers)
        const look = Effect.sync(() => {
          looks += 1
          return whenMoved
        })
        yield* Effect.forkScoped(Effect.provide(lookUntil(chain, () => look), context))
        yield* pass(SLOW - INTERVAL, INTERVAL)
        // The first look; one as the follower's first reading was new, and one for a node that was behind.
        assert.strictEqual(looks, 3)
        assert.isAtLeast(asked.times, SLOW / INTERVAL - 2)
      }))
      const before = asked.times
      yield* pass(10 * INTERVAL, INTERVAL)
      assert.strictEqual(asked.times, before)
    }))

  const dead: ReadonlyArray<readonly [string, () => Effect.Effect<Heads, ChainUnavailable>]> = [
    ["fails", () => Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: "heads", kind: "timeout" }))],
    ["never answers", () => Effect.never],
    ["stands still", () => Effect.succeed(headsAt(5n))],
    ["dies", () => Effect.die(new Error("a defect"))]
  ]
  for (const [how, read] of dead) {
    it.effect(`delays a wait by the slow bound at most when it ${how}`, () =>
      Effect.gen(function*() {
        const { followers } = following(read)
        const context = yield* Layer.build(followers)
        const service = Context.get(context, Followers)
        for (const finalHeight of [undefined, 1_000n]) {
          // The follower starts when it is first asked, and its first readings are news.
          yield* service.seen(chain, "waits")
          yield* pass(3 * INTERVAL, INTERVAL)
          const seen = yield* service.seen(chain, "waits")
          const waiting = yield* Effect.forkChild(service.moved(chain, seen, { finalHeight }))
          yield* pass(SLOW - INTERVAL, INTERVAL)
          assert.isUndefined(waiting.pollUnsafe())
          yield* pass(INTERVAL, INTERVAL)
          assert.isDefined(waiting.pollUnsafe())
        }
      }))
  }

  it.effect("wakes who has seen a block by another block alone, also of the same height", () =>
    Effect.gen(function*() {
      let heads = headsAt(5n)
      const { followers } = following(() => Effect.sync(() => heads))
      const context = yield* Layer.build(followers)
      let looks = 0
      yield* Effect.forkChild(Effect.provide(
        lookUntil(chain, () =>
          Effect.sync(() => {
            looks += 1
            return whenMovedBeyond(heads)
          })),
        context
      ))
      const isLookedAt = Effect.fnUntraced(function*(next: Heads, times: number) {
        heads = next
        const before = looks
        yield* pass(10 * INTERVAL, INTERVAL)
        assert.strictEqual(looks - before, times)
      })
      // It saw this one itself, so neither the follower's first reading of it nor its echo is news.
      yield* isLookedAt(headsAt(5n), 1)
      yield* isLookedAt(headsAt(6n), 1)
      yield* isLookedAt({ ...headsAt(6n), finalHeight: 2n }, 0)
      yield* isLookedAt({ ...headsAt(6n), hash: "0xanother" }, 1)
    }))

  it.effect("knows when somebody who waits has last looked, and not when a watching loop has", () =>
    Effect.gen(function*() {
      const { followers } = following(() => Effect.succeed(headsAt(5n)))
      const { seen, waitedAt } = Context.get(yield* Layer.build(followers), Followers)
      yield* seen(chain, "watches")
      assert.isUndefined(yield* waitedAt(chain))
      yield* seen(chain, "waits")
      const at = yield* Clock.currentTimeMillis
      yield* pass(3 * INTERVAL, INTERVAL)
      yield* seen(chain, "watches")
      assert.strictEqual(yield* waitedAt(chain), at)
    }))

  it.effect("sees a block that replaces another at the same height", () =>
    Effect.gen(function*() {
      let heads = headsAt(5n)
      const { followers } = following(() => Effect.sync(() => heads))
      const service = Context.get(yield* Layer.build(followers), Followers)
      yield* service.seen(chain, "waits")
      yield* pass(3 * INTERVAL, INTERVAL)
      const seen = yield* service.seen(chain, "waits")
      const waiting = yield* Effect.forkChild(service.moved(chain, seen))
      heads = { ...heads, hash: "0xother" }
      yield* pass(INTERVAL, INTERVAL)
      assert.isDefined(waiting.pollUnsafe())
      // Whoever has looked meanwhile does not wait at all.
      const late = yield* Effect.forkChild(service.moved(chain, seen))
      yield* Effect.yieldNow
      assert.isDefined(late.pollUnsafe())
    }))
})
