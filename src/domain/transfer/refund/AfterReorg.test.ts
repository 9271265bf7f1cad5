import { assert, describe, it } from "@effect/vitest"
import { afterReorg } from "./AfterReorg.ts"

const was = { height: 7n, hash: "0xa", time: 70 }
const other = { height: 7n, hash: "0xb", time: 71 }

describe("what was final, after a reorganisation past finality", () => {
  it("is untouched in its own block, whatever the chain calls final now", () => {
    for (const final of [true, false]) assert.strictEqual(afterReorg(was, { block: { ...was }, final }), "untouched")
  })

  it("is elsewhere only when it is final again: a block that may go away is no place", () => {
    assert.strictEqual(afterReorg(was, { block: other, final: true }), "elsewhere")
    assert.strictEqual(afterReorg(was, { block: other, final: false }), "lost")
  })

  it("is lost when it is not there", () => assert.strictEqual(afterReorg(was, undefined), "lost"))
})
