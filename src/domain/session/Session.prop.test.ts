/** Texts of sessions: their kind is read back, and hashes and tokens differ wherever anything differs. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { csrfToken, kindOfText, sessionHash, sessionText } from "./Session.ts"

const random = fc.uint8Array({ minLength: 32, maxLength: 32 })
const kinds = fc.constantFrom("Operator" as const, "Wallet" as const)

describe("the text of a session", () => {
  it("shows its kind, and no other text does", () => {
    fc.assert(
      fc.property(kinds, random, fc.string({ unit: "binary", maxLength: 60 }), (kind, bytes, other) => {
        const text = sessionText(kind, bytes)
        assert.strictEqual(kindOfText(text), kind)
        assert.isUndefined(kindOfText(`${text}A`))
        assert.isUndefined(kindOfText(text.slice(1)))
        if (!/^cw[ow]_[\w-]{43}$/u.test(other)) assert.isUndefined(kindOfText(other))
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("has a hash of its own under each seal, and a token from which neither follows", () => {
    fc.assert(
      fc.property(random, random, fc.string(), fc.string(), (one, two, seal, otherSeal) => {
        const [a, b] = [sessionText("Operator", one), sessionText("Operator", two)]
        assert.strictEqual(sessionHash(a, seal) === sessionHash(b, seal), a === b)
        assert.strictEqual(sessionHash(a, seal) === sessionHash(a, otherSeal), seal === otherSeal)
        assert.strictEqual(csrfToken(a) === csrfToken(b), a === b)
        assert.notInclude(a, csrfToken(a))
      }),
      { numRuns: inputs(1_000, 20_000) }
    )
  })
})
