import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../scripts/testing/Tally.ts"
import { widthOf, wrapped } from "./Help.ts"

const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/u), { minLength: 1, maxLength: 60 })

describe("a wrapped text", () => {
  it("has every word in its order, and no line that is wider than asked for", () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 40, max: 80 }), fc.integer({ min: 0, max: 20 }), (all, width, indent) => {
        const lines = wrapped(all.join(" "), width, indent).split("\n")
        assert.deepStrictEqual(lines.flatMap((line) => line.trim().split(" ")), all)
        assert.isTrue(lines.every((line) => line.length <= width), lines.join("\n"))
        assert.isTrue(lines.slice(1).every((line) => line.startsWith(" ".repeat(indent))))
      }),
      { numRuns: inputs(400, 20_000) }
    )
  })

  it("keeps a word that is too long whole, and lines that fit", () => {
    const hash = `0x${"ab".repeat(50)}`
    assert.strictEqual(wrapped(`the request ${hash} is paid`, 40), `the request\n${hash}\nis paid`)
    assert.strictEqual(wrapped("a  b\n\n  c", 40), "a  b\n\n  c")
  })

  it("is as wide as the terminal, within bounds", () => {
    assert.deepStrictEqual([{}, { columns: 200 }, { columns: 60 }, { columns: 1 }].map(widthOf), [80, 80, 60, 40])
  })
})
