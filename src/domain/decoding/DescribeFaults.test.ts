import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { WireUint } from "../quote/request/RequestValues.ts"
import { TradeType } from "../quote/request/TradeType.ts"
import { describeFaults } from "./DescribeFaults.ts"

const Shape = Schema.Struct({
  user: Schema.String,
  chain: Schema.Int,
  kind: Schema.Union([Schema.Literals(["a", "b"]), Schema.Int]),
  list: Schema.Array(Schema.Struct({ to: Schema.String }))
})

const faultsOf = (value: unknown) => {
  const decoded = Schema.decodeUnknownResult(Shape, { errors: "all", onExcessProperty: "error" })(value)
  return Result.isFailure(decoded) ? describeFaults(decoded.failure.issue, "body") : assert.fail("it decodes")
}

describe("the faults of a body", () => {
  it("are all named, each field once, the first one as the field at fault", () => {
    const { field, message } = faultsOf({ chain: "x", kind: true, list: [{ to: "ok" }, {}], other: 1 })
    assert.strictEqual(field, message.split(":")[0])
    for (
      const each of [
        "user: is missing",
        "chain: must be a number",
        "kind: ",
        "list.1.to: is missing",
        "other: is not known"
      ]
    ) {
      assert.include(message, each)
    }
    for (const name of ["user", "chain", "kind", "list.1.to"]) {
      assert.lengthOf(message.split("; ").filter((each) => each.startsWith(`${name}:`)), 1, name)
    }
  })

  it("are in plain words: what the field must be, without a regular expression", () => {
    const Amounts = Schema.Struct({
      amount: WireUint,
      tradeType: TradeType,
      fee: Schema.Int,
      flag: Schema.Boolean,
      list: Schema.Array(Schema.String)
    })
    const decoded = Schema.decodeUnknownResult(Amounts, { errors: "all" })(
      { amount: "-1", tradeType: "FOO", fee: 1.5, flag: "yes", list: "none" }
    )
    const { message } = Result.isFailure(decoded)
      ? describeFaults(decoded.failure.issue, "body")
      : assert.fail("it decodes")
    assert.deepStrictEqual(message.split("; "), [
      "amount: must be digits only: an amount in smallest units",
      "tradeType: must be \"EXACT_INPUT\", \"EXACT_OUTPUT\" or \"EXPECTED_OUTPUT\"",
      "fee: must be a whole number",
      "flag: must be true or false",
      "list: must be a list"
    ])
  })

  it("have a name for the whole, and an end", () => {
    assert.match(faultsOf(5).message, /^body: /u)
    const many = faultsOf({ user: "", chain: 1, kind: 1, list: Array.from({ length: 40 }, () => ({})) })
    assert.lengthOf(many.message.split("; "), 11)
    assert.match(many.message, /; and 30 more$/u)
    assert.isBelow(faultsOf("y".repeat(10_000)).message.length, 400)
  })
})
