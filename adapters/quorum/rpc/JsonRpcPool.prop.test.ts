/** The check of an endpoint's answers, which is written by hand, accepts what this schema accepts. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { answersIn } from "./JsonRpcPool.ts"

const Answer = Schema.Struct({
  id: Schema.Int,
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.Unknown)
})
const decode = Schema.decodeUnknownExit(Schema.Array(Answer))

const bySchema = (count: number, body: unknown) => {
  const decoded = decode(body)
  if (decoded._tag === "Failure") return undefined
  const byId = new Map(decoded.value.map((answer) => [answer.id, answer]))
  const answers = Array.from({ length: count }, (_, index) => byId.get(index + 1)).filter((each) => each !== undefined)
  return answers.length === count ? answers : undefined
}

const id = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 3 }) },
  fc.constantFrom<unknown>(0, -1, 4, 1.5, "1", null, undefined, Number.NaN, 2 ** 60)
)
const member = fc.oneof(
  { weight: 20, arbitrary: fc.record({ id, result: fc.jsonValue(), error: fc.jsonValue() }, { requiredKeys: ["id"] }) },
  fc.jsonValue()
)
const body = fc.oneof({ weight: 20, arbitrary: fc.array(member, { maxLength: 5 }) }, fc.jsonValue())

describe("the answers of a JSON-RPC endpoint", () => {
  it("are accepted as the schema accepts them, in the order of the calls", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3 }), body, (count, said) => {
        assert.deepStrictEqual(answersIn(count, said), bySchema(count, said))
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })
})
