import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { make } from "effect/crypto/SecureRandom"
import { makeRandomPool } from "./RandomPool.ts"

describe("a pool of random bytes", () => {
  it.effect("gives every byte that was drawn at most once, and draws when it has too few", () =>
    Effect.gen(function*() {
      const drawn: Array<Uint8Array> = []
      let next = 0
      const { take } = makeRandomPool(make((size) => {
        // Pairs of bytes that are all different.
        const bytes = new Uint8Array(size)
        for (let at = 0; at < size; at += 2, next += 1) bytes.set([next >> 8, next & 255], at)
        drawn.push(bytes)
        return bytes
      }))
      const seen = new Set<number>()
      for (let turn = 0; turn < 1_000; turn += 1) {
        const size = turn % 2 === 0 ? 24 : 32
        const bytes = yield* take(size)
        assert.strictEqual(bytes.length, size)
        for (let at = 0; at < size; at += 2) {
          const pair = (bytes[at] ?? 0) << 8 | (bytes[at + 1] ?? 0)
          assert.isFalse(seen.has(pair), "given twice")
          seen.add(pair)
        }
      }
      assert.isBelow(drawn.length, 10)
      // What was given is not in the pool any more.
      assert.isTrue(drawn.slice(0, -1).every((bytes) => bytes.subarray(0, 24).every((byte) => byte === 0)))
    }))
})
