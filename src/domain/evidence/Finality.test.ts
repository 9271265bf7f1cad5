import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import type { FinalityRule } from "../chain/Chain.ts"
import { finalityOf, type Heads } from "./Finality.ts"

const block = (height: bigint, time = 1_000) => ({ height, hash: "0xb1", time })
const heads = (finalHeight: bigint, height: bigint, time = 10_000): Heads => ({ finalHeight, head: { height, time } })
const tag: FinalityRule = { _tag: "Tag", tag: "finalized", seconds: 900 }
const depth: FinalityRule = { _tag: "Depth", blocks: 10, seconds: 60 }

describe("finality", () => {
  it("by tag: up to the pinned height, and no block beyond", () => {
    assert.deepStrictEqual(finalityOf(tag, block(90n), heads(90n, 100n)), { _tag: "Final" })
    assert.deepStrictEqual(finalityOf(tag, block(91n), heads(90n, 100n)), {
      _tag: "Pending",
      confirmations: 9,
      needed: 10,
      secondsLeft: 0
    })
  })

  it("by depth and age: both are required, and never above the pinned height", () => {
    const old = 10_000 - 60
    assert.strictEqual(finalityOf(depth, block(90n, old), heads(90n, 100n))._tag, "Final")
    assert.deepStrictEqual(finalityOf(depth, block(91n, old), heads(91n, 100n)), {
      _tag: "Pending",
      confirmations: 9,
      needed: 10,
      secondsLeft: 0
    })
    assert.deepStrictEqual(finalityOf(depth, block(90n, old + 1), heads(90n, 100n)), {
      _tag: "Pending",
      confirmations: 10,
      needed: 10,
      secondsLeft: 1
    })
    assert.strictEqual(finalityOf(depth, block(90n, old), heads(89n, 100n))._tag, "Pending")
    assert.strictEqual(finalityOf(depth, block(0n, 0), heads(-1n, 100n))._tag, "Pending")
  })

  it("a block ahead of the head has no confirmation, and counts stay numbers", () => {
    assert.deepStrictEqual(finalityOf(tag, block(200n), heads(90n, 100n)), {
      _tag: "Pending",
      confirmations: 0,
      needed: 10,
      secondsLeft: 0
    })
    const far = finalityOf(tag, block(1n), heads(0n, 1n << 80n))
    assert.isTrue(far._tag === "Pending" && far.confirmations === Number.MAX_SAFE_INTEGER)
  })

  it("is monotone: as heads grow, a final block and all below it stay final", () => {
    const rule = fc.constantFrom(tag, depth, { _tag: "Depth", blocks: 0, seconds: 0 } as const)
    const height = fc.bigInt({ min: 0n, max: 60n })
    fc.assert(
      fc.property(
        rule,
        height,
        height,
        height,
        height,
        fc.nat(120),
        fc.nat(60),
        (rule, at, final, head, more, age, later) => {
          const seen = finalityOf(rule, block(at, 1_000), heads(final, head, 1_000 + age))
          if (seen._tag === "Pending") return
          assert.strictEqual(
            finalityOf(rule, block(at, 1_000), heads(final + more, head + more, 1_000 + age + later))._tag,
            "Final"
          )
          assert.strictEqual(
            finalityOf(rule, block(at - more, 1_000 - later), heads(final, head, 1_000 + age))._tag,
            "Final"
          )
        }
      ),
      { numRuns: inputs(5_000, 100_000) }
    )
  })
})
