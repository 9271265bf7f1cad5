/** A quote's deposit may come on any served chain, so each has a place from which it is scanned before the quote. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import type { ChainId } from "../../../domain/chain/ChainId.ts"
import { alpha, beta } from "../../../domain/quote/testing/Chains.ts"
import { makeAnchors } from "./AnchorChains.ts"

/** What beta's endpoints do, and the store. */
interface Mood {
  beta: "well" | "refuses" | "silent"
  store: "up" | "down" | "slow"
}

const world = () => {
  const mood: Mood = { beta: "well", store: "up" }
  const anchored = new Set<ChainId>()
  const asked = { heads: 0, cursors: 0 }
  const layer = Layer.mergeAll(
    Layer.succeed(Chains, { all: [alpha, beta] }),
    Layer.mock(DepositWatcher, {
      head: (chain) =>
        Effect.suspend(() => {
          asked.heads += 1
          if (chain.id === alpha.id || mood.beta === "well") {
            return Effect.succeed({ height: 7n, hash: "0x07", time: 7 })
          }
          return mood.beta === "silent"
            ? Effect.never
            : Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: "head", kind: "unreachable" }))
        })
    }),
    Layer.mock(Deposits, {
      cursor: (chain) =>
        Effect.suspend(() => {
          asked.cursors += 1
          const fails = Effect.fail(new StoreUnavailable({ operation: "test" }))
          if (mood.store === "slow") return Effect.delay(fails, "5 seconds")
          return mood.store === "down"
            ? fails
            : Effect.succeed(anchored.has(chain) ? { height: 7n, hash: "0x07" } : undefined)
        }),
      anchor: (chain) => Effect.sync(() => void anchored.add(chain))
    })
  )
  return { anchored, asked, layer, mood }
}

describe("before a quote on one chain (QUOTE-9)", () => {
  it.effect("each served chain is anchored, once for all quotes", () => {
    const { anchored, asked, layer } = world()
    return Effect.gen(function*() {
      const ensure = yield* makeAnchors
      yield* Effect.all([ensure(alpha), ensure(beta), ensure(alpha)], { concurrency: "unbounded" })
      assert.deepStrictEqual([...anchored], [alpha.id, beta.id])
      const before = { ...asked }
      yield* ensure(alpha)
      assert.deepStrictEqual(asked, before)
    }).pipe(Effect.provide(layer))
  })

  it.effect("what the store has is kept, and the chain is not read", () => {
    const { anchored, asked, layer } = world()
    anchored.add(alpha.id).add(beta.id)
    return Effect.gen(function*() {
      yield* (yield* makeAnchors)(alpha)
      assert.deepStrictEqual(asked, { heads: 0, cursors: 2 })
    }).pipe(Effect.provide(layer))
  })

  it.effect("an unreachable chain refuses its own quotes only, and is anchored once it is back", () => {
    const { anchored, asked, layer, mood } = world()
    mood.beta = "refuses"
    return Effect.gen(function*() {
      const ensure = yield* makeAnchors
      yield* ensure(alpha)
      yield* TestClock.adjust("1 millis")
      const before = asked.heads
      yield* ensure(alpha)
      assert.strictEqual(asked.heads, before)
      const refused = yield* Effect.flip(ensure(beta))
      assert.strictEqual(refused._tag, "ChainUnavailable")
      yield* TestClock.adjust("1 hour")
      assert.isFalse(anchored.has(beta.id))
      mood.beta = "well"
      yield* TestClock.adjust("1 minute")
      assert.isTrue(anchored.has(beta.id))
      const found = asked.heads
      yield* ensure(beta)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(asked.heads, found)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a silent chain holds up all quotes of its first ten seconds, and none after them", () => {
    const { layer, mood } = world()
    mood.beta = "silent"
    return Effect.gen(function*() {
      const ensure = yield* makeAnchors
      const gone = yield* Effect.forkChild(ensure(alpha))
      yield* TestClock.adjust("1 millis")
      yield* TestClock.adjust("5 seconds")
      const waiting = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(ensure(alpha)))
      // Its client does not wait. Otherwise strangers who ask and leave could hold up all others for ever.
      yield* Fiber.interrupt(gone)
      yield* TestClock.adjust("4 seconds")
      assert.isTrue(waiting.every((fiber) => fiber.pollUnsafe() === undefined))
      yield* TestClock.adjust("1 second")
      yield* Effect.forEach(waiting, Fiber.join)
      yield* ensure(alpha)
    }).pipe(Effect.provide(layer))
  })

  it.effect("ten thousand quotes ask a silent chain as often as one does, on it and on others", () => {
    const { asked, layer, mood } = world()
    mood.beta = "silent"
    return Effect.gen(function*() {
      const ensure = yield* makeAnchors
      const many = Array.from({ length: 10_000 }, () => ensure)
      const own = yield* Effect.forEach(many, (each) => Effect.forkChild(each(beta)))
      const others = yield* Effect.forEach(many, (each) => Effect.forkChild(each(alpha)))
      yield* TestClock.adjust("1 millis")
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(asked, { heads: 2, cursors: 2 })
      // Those who leave take nothing from those who stay.
      yield* Effect.forEach(own, Fiber.interrupt, { discard: true })
      yield* TestClock.adjust("1 second")
      yield* Effect.forEach(others, Fiber.join, { discard: true })
      // In the background it is asked once more.
      assert.deepStrictEqual(asked, { heads: 3, cursors: 3 })
    }).pipe(Effect.provide(layer))
  })

  it.effect("ten thousand quotes wait for a store that fails slowly once, and not in turn", () => {
    const { asked, layer, mood } = world()
    mood.store = "slow"
    return Effect.gen(function*() {
      const ensure = yield* makeAnchors
      const many = Array.from({ length: 10_000 }, () => ensure)
      const waiting = yield* Effect.forEach(many, (each) => Effect.forkChild(Effect.exit(each(alpha))))
      yield* TestClock.adjust("1 millis")
      yield* TestClock.adjust("5 seconds")
      const ended = yield* Effect.forEach(waiting, Fiber.join)
      assert.isTrue(ended.every(Exit.isFailure))
      assert.deepStrictEqual(asked, { heads: 0, cursors: 1 })
    }).pipe(Effect.provide(layer))
  })

  it.effect("a store that fails refuses the quote, and the next one tries again", () => {
    const { anchored, layer, mood } = world()
    return Effect.gen(function*() {
      const ensure = yield* makeAnchors
      mood.store = "down"
      assert.isTrue(Exit.isFailure(yield* Effect.exit(ensure(alpha))))
      mood.store = "up"
      yield* ensure(alpha)
      assert.deepStrictEqual([...anchored], [alpha.id, beta.id])
    }).pipe(Effect.provide(layer))
  })
})
