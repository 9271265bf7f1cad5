import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeDecodeCache } from "./DecodeCache.ts"

describe("the cache of decoded texts", () => {
  it.effect("is bounded in rows and characters, and evicts the oldest first", () =>
    Effect.gen(function*() {
      let decoded: Array<string> = []
      const meaning = makeDecodeCache((text: string) => Effect.sync(() => decoded.push(text.slice(0, 1))), {
        rows: 3,
        characters: 100
      })
      const asked = Effect.fnUntraced(function*(...texts: ReadonlyArray<string>) {
        decoded = []
        for (const text of texts) yield* meaning(text.slice(0, 1), text)
        return decoded.join("")
      })
      assert.strictEqual(yield* asked("a", "b", "c", "a"), "abc")
      assert.strictEqual(yield* asked("d", "b", "c"), "d")
      assert.strictEqual(yield* asked("a"), "a")
      // A large text evicts as many entries as it needs room for. A text larger than the whole cache evicts none.
      assert.strictEqual(yield* asked(`e${"-".repeat(97)}`, "c", "a", "d"), "ecd")
      assert.strictEqual(yield* asked(`f${"-".repeat(200)}`, "d", "c"), "f")
      assert.strictEqual(yield* asked(`f${"-".repeat(200)}`), "f")
    }))
})
