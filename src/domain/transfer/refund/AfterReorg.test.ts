import { assert, describe, it } from "@effect/vitest"
import { afterReorg } from "./AfterReorg.ts"

const was = { height: 7n, hash: "0xa", time: 70 }
const other = { height: 7n, hash: "0xb", time: 71 }

describe("something final after a reorg past finality", () => {
  it("is unchanged in its own block, whatever the chain calls final now", () => {
    for (const final of [true, false]) assert.strictEqual(afterReorg(was, { block: { ...was }, final }), "untouched")
  })

  it("counts as moved only when it is final again: a block that may still be removed does not count", () => {
    assert.strictEqual(afterReorg(was, { block: other, final: true }), "elsewhere")
    assert.strictEqual(afterReorg(was, { block: other, final: false }), "lost")
  })

  it("is lost when it is not there", () => assert.strictEqual(afterReorg(was, undefined), "lost"))
})
