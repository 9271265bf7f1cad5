/** What the watcher of deposit addresses asks a Tron node for: as much with a few addresses as with very many. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { isLong } from "../../../scripts/testing/Tally.ts"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { accountOf, addressOf, makeSolidBlocks } from "../testing/SolidBlocks.ts"
import { layer } from "./AddressBalances.ts"

/** Counts as paid. */
const UNITS = 1_000_000_000n

/** A watcher with so many addresses, all of them made for TRX. */
const watching = (count: number) => {
  const blocks = makeSolidBlocks(1)
  const addresses = Array.from({ length: count }, (_, n) => addressOf(n))
  return {
    blocks,
    layer: layer.pipe(Layer.provide(blocks.layer)),
    /** As the watcher does: five hundred at a time. Returns what they have, and how many requests that was. */
    turn: Effect.gen(function*() {
      const balances = yield* AddressBalances
      const before = blocks.requests()
      const found = yield* Effect.forEach(
        addresses,
        (address) => balances.read(blocks.chain, address, [blocks.chain.native], "watched"),
        { concurrency: 500 }
      )
      const paid = found.flatMap(([reading], n) => reading?._tag === "Read" && reading.units > 0n ? [n] : [])
      const unread = found.filter(([reading]) => reading?._tag !== "Read").length
      return { paid, unread, requests: blocks.requests() - before }
    })
  }
}

const block = "3 seconds"

for (const count of isLong ? [10, 5_000, 100_000] : [10, 5_000]) {
  it.effect(`a block costs three requests with ${count} addresses, and two for each that it names`, () => {
    const { blocks, layer, turn } = watching(count)
    return Effect.gen(function*() {
      yield* TestClock.adjust(block)
      // Each is asked for once: a block and a balance. Before, the newest block and the chain's only one.
      assert.isAtMost((yield* turn).requests, 2 * count + 3)
      // The first three once more: they were asked for while there were so few.
      yield* TestClock.adjust(block)
      blocks.add()
      assert.deepStrictEqual(yield* turn, { paid: [], unread: 0, requests: 9 })
      for (const named of [0, 2, 0]) {
        yield* TestClock.adjust(block)
        blocks.add(Array.from({ length: named }, (_, n) => ({ way: "plain", account: accountOf(n), units: 1n })))
        // Dust counts for nothing, so that these are not asked for again.
        assert.deepStrictEqual(yield* turn, { paid: [], unread: 0, requests: 3 + 2 * named })
      }
      yield* TestClock.adjust(block)
      blocks.add([{ way: "inner", account: accountOf(7), units: UNITS }])
      assert.deepStrictEqual(yield* turn, { paid: [7], unread: 0, requests: 5 })
      // What has something is asked for until it is swept.
      yield* TestClock.adjust(block)
      blocks.add()
      assert.deepStrictEqual(yield* turn, { paid: [7], unread: 0, requests: 5 })
    }).pipe(Effect.provide(layer))
  }, 600_000)
}

it.effect("what a node does not tell of inner transfers is found within ten minutes", () => {
  const { blocks, layer, turn } = watching(10)
  return Effect.gen(function*() {
    yield* TestClock.adjust(block)
    yield* turn
    blocks.add([{ way: "hidden", account: accountOf(3), units: UNITS }])
    const turns = yield* Effect.forEach(Array.from({ length: 200 }), () =>
      Effect.gen(function*() {
        yield* TestClock.adjust(block)
        blocks.add()
        return (yield* turn).paid
      }))
    assert.deepStrictEqual(turns[0], [])
    assert.deepStrictEqual(turns.at(-1), [3])
  }).pipe(Effect.provide(layer))
})

it.effect("each address is asked for after a pause, and while nodes have not told for a minute what blocks hold", () => {
  const { blocks, layer, turn } = watching(10)
  const all = { paid: [], unread: 0, requests: 21 }
  return Effect.gen(function*() {
    yield* TestClock.adjust(block)
    yield* turn
    for (let height = 0; height < 300; height += 1) blocks.add()
    yield* TestClock.adjust(block)
    assert.deepStrictEqual(yield* turn, all)
    blocks.state.tellsInfos = false
    blocks.add([{ way: "plain", account: accountOf(3), units: UNITS }])
    yield* TestClock.adjust(block)
    assert.strictEqual((yield* Effect.flip(turn)).kind, "behind")
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual((yield* turn).paid, [3])
  }).pipe(Effect.provide(layer))
})

it.effect("few addresses are asked for each time, which costs less than blocks", () => {
  const { blocks, layer, turn } = watching(3)
  return Effect.gen(function*() {
    for (let times = 0; times < 3; times += 1) {
      blocks.add()
      yield* TestClock.adjust(block)
      assert.deepStrictEqual(yield* turn, { paid: [], unread: 0, requests: 6 })
    }
  }).pipe(Effect.provide(layer))
})
