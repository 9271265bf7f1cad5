import { assert, describe, it } from "@effect/vitest"
import { make, table } from "./Screen.ts"

describe("the terminal's output", () => {
  it("is coloured only on a terminal, and never against NO_COLOR", () => {
    const write = () => true
    assert.strictEqual(make({ write }, {}).bold("a"), "a")
    assert.strictEqual(make({ write, isTTY: true }, {}).bold("a"), "\u001b[1ma\u001b[0m")
    assert.strictEqual(make({ write, isTTY: true }, { NO_COLOR: "1" }).bold("a"), "a")
    assert.strictEqual(make({ write, isTTY: true }, { TERM: "dumb" }).bold("a"), "a")
  })

  it("is aligned in columns", () => {
    assert.deepStrictEqual(table([["a", "bb"], ["ccc", "d"]]), ["a    bb", "ccc  d"])
  })
})
