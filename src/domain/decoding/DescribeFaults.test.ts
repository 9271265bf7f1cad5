import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
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
      const each of ["user: is missing", "chain: Expected", "kind: ", "list.1.to: is missing", "other: is not known"]
    ) {
      assert.include(message, each)
    }
    for (const name of ["user", "chain", "kind", "list.1.to"]) {
      assert.lengthOf(message.split("; ").filter((each) => each.startsWith(`${name}:`)), 1, name)
    }
  })

  it("have a name for the whole, and an end", () => {
    assert.match(faultsOf(5).message, /^body: /u)
    const many = faultsOf({ user: "", chain: 1, kind: 1, list: Array.from({ length: 40 }, () => ({})) })
    assert.lengthOf(many.message.split("; "), 11)
    assert.match(many.message, /; and 30 more$/u)
    assert.isBelow(faultsOf("y".repeat(10_000)).message.length, 400)
  })
})
