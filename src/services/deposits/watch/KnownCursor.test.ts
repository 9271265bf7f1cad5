import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Cursor } from "../../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { alpha } from "../../../domain/quote/testing/Chains.ts"
import { makeKnownCursor } from "./KnownCursor.ts"

const block = (height: bigint): Cursor => ({ height, hash: `0x${height}` })

const store = () => {
  const world = { cursor: undefined as Cursor | undefined, reads: 0 }
  const layer = Layer.mock(Deposits, {
    cursor: () =>
      Effect.sync(() => {
        world.reads += 1
        return world.cursor
      })
  })
  return { world, layer }
}

describe("the cursor that a scan knows", () => {
  it.effect("is read until it exists, then once in ten seconds, whatever the scan records", () =>
    Effect.gen(function*() {
      const { layer, world } = store()
      const { current, note } = makeKnownCursor(Effect.flatMap(Deposits, ({ cursor }) => cursor(alpha.id)))
      const read = Effect.provide(current, layer)
      assert.deepStrictEqual([yield* read, yield* read, world.reads], [undefined, undefined, 2])
      world.cursor = block(5n)
      assert.deepStrictEqual([yield* read, world.reads], [block(5n), 3])
      for (let height = 6n; height < 20n; height += 1n) {
        note(block(height))
        assert.deepStrictEqual([yield* read, world.reads], [block(height), 3])
        yield* TestClock.adjust("500 millis")
      }
    }))

  it.effect("is further than the store's where nothing was found, and then what was found is nobody's to scan again", () =>
    Effect.gen(function*() {
      const { layer, world } = store()
      const { current, isRecorded, note, reach } = makeKnownCursor(
        Effect.flatMap(Deposits, ({ cursor }) => cursor(alpha.id))
      )
      const read = Effect.provide(current, layer)
      world.cursor = block(5n)
      yield* read
      assert.isTrue(isRecorded(block(5n)))
      reach(block(6n))
      assert.isFalse(isRecorded(block(6n)))
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual([yield* read, world.reads], [block(6n), 2])
      note(block(6n))
      assert.isTrue(isRecorded(block(6n)))
      // Another worker has gone on, or has seen another fork.
      world.cursor = { ...block(6n), hash: "0xfork" }
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual(yield* read, world.cursor)
    }))

  it.effect("is that of another worker at the latest after ten seconds", () =>
    Effect.gen(function*() {
      const { layer, world } = store()
      const { current } = makeKnownCursor(Effect.flatMap(Deposits, ({ cursor }) => cursor(alpha.id)))
      const read = Effect.provide(current, layer)
      world.cursor = block(5n)
      yield* read
      world.cursor = block(90n)
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(yield* read, block(5n))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* read, block(90n))
    }))
})
