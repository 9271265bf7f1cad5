/** What every release has stored of a filling's steps is read, and nothing else is written. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { FailReason } from "../../domain/transfer/FailReason.ts"
import { fillingSteps } from "./FillingSteps.ts"
import { contended, filled, moved, refund } from "./FillResult.ts"

const codecs = ([
  "fill.pay",
  "fill.guard",
  "fill.again.pay",
  "fill.again.guard",
  "fallback.pay",
  "fallback.guard",
  "fallback.again.pay",
  "fallback.again.guard",
  "found.pay",
  "found.guard"
] as const)
  .map((name) => Schema.toCodecJson(fillingSteps[name]))

describe("the stored result of a fill", () => {
  it("is read in the form of earlier releases with the same meaning, and stored as the same word", () => {
    const meanings = { none: filled, DEPOSIT_REORGED: moved, DOUBLE_SPEND: contended } as const
    for (const codec of codecs) {
      for (const word of ["none", ...FailReason.literals] as const) {
        const meant = Schema.decodeUnknownSync(codec)(word)
        assert.deepStrictEqual(
          meant,
          word === "none" || word === "DEPOSIT_REORGED" || word === "DOUBLE_SPEND" ? meanings[word] : refund(word)
        )
        assert.strictEqual(Schema.encodeUnknownSync(codec)(meant), word)
      }
    }
  })

  it("refuses any other word and any other form", () => {
    for (const other of ["filled", "", "None", 1, { _tag: "Filled" }, undefined]) {
      assert.throws(() => Schema.decodeUnknownSync(codecs[0]!)(other))
    }
  })
})
