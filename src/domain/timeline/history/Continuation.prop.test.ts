import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { makeContinuation, readContinuation } from "./Continuation.ts"

const position = fc.record({
  at: fc.nat({ max: 2 ** 48 }),
  id: fc.string({ minLength: 1, maxLength: 100 }).filter((id) => id.isWellFormed())
})

describe("a continuation", () => {
  it("returns to its position, in its own listing only", () => {
    fc.assert(
      fc.property(position, fc.string(), fc.string(), (made, scope, other) => {
        const text = makeContinuation(scope, made)
        assert.match(text, /^[\w-]+$/)
        assert.deepStrictEqual(readContinuation(scope, text), made)
        if (other !== scope) assert.isUndefined(readContinuation(other, text))
      }),
      { numRuns: inputs(2_000, 50_000) }
    )
  })

  it("is refused with any one character changed, added or left out", () => {
    const character = fc.constantFrom(
      "A",
      "B",
      "Z",
      "a",
      "b",
      "z",
      "0",
      "1",
      "9",
      "-",
      "_",
      "=",
      "+",
      "/",
      " ",
      "\u0000",
      "é"
    )
    fc.assert(
      fc.property(position, fc.nat(), character, fc.constantFrom("change", "add", "leave out"), (made, at, by, how) => {
        const text = makeContinuation("scope", made)
        const place = at % text.length
        const tampered = text.slice(0, place) + (how === "leave out" ? "" : by) +
          text.slice(how === "add" ? place : place + 1)
        if (tampered !== text) assert.isUndefined(readContinuation("scope", tampered))
      }),
      { numRuns: inputs(5_000, 100_000) }
    )
  })

  it("is refused when it is any other text", () => {
    fc.assert(fc.property(fc.string(), (text) => assert.isUndefined(readContinuation("", text))), {
      numRuns: inputs(5_000, 100_000)
    })
  })
})
