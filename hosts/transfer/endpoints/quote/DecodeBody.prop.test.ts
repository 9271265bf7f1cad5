/** What is decoded ahead of the router is what the API's schema decodes. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Exit, Schema } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { decodeBody } from "./DecodeBody.ts"
import { payload, servedParameters } from "./QuoteApi.ts"

const decode = Schema.decodeUnknownExit(payload)
const encode = Schema.encodeSync(payload)

/** As JSON, so that the order of the fields counts too: a transfer keeps its body. */
const textOf = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) => typeof each === "bigint" ? `${each}n` : each)

const assertSame = (body: unknown): boolean => {
  const expected = decode(body)
  assert.strictEqual(textOf(decodeBody(body)), textOf(Exit.isSuccess(expected) ? expected.value : undefined))
  return Exit.isSuccess(expected)
}

/** One parameter of a body in another form, or one that there is not. */
const spoilt = fc.record({
  name: fc.oneof(
    fc.constantFrom("another", "__proto__"),
    fc.constantFrom("user", "originChainId", "amount", "tradeType", ...servedParameters)
  ),
  value: fc.jsonValue()
})

describe("a body of a quote", () => {
  it.effect("decodes as by the whole schema or not at all, whatever is in it", () =>
    Effect.gen(function*() {
      const count = inputs(1_000, 10_000)
      const requests = (yield* Arbitrary.sampleEffect(Arbitrary.schema(payload), { count })).map((each) => encode(each))
      for (const request of requests) assert.isTrue(assertSame(JSON.parse(JSON.stringify(request))))
      const seen = { requests: 0, others: 0 }
      fc.assert(
        fc.property(fc.constantFrom(...requests), spoilt, (request, { name, value }) => {
          const text = `${JSON.stringify(request).slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`
          seen[assertSame(JSON.parse(text)) ? "requests" : "others"] += 1
        }),
        { numRuns: count }
      )
      assert.isAbove(seen.requests, 20)
      assert.isAbove(seen.others, 20)
      fc.assert(fc.property(fc.jsonValue(), (body) => assert.isFalse(assertSame(body))))
    }))
})
