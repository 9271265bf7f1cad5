import { assert, describe, it } from "@effect/vitest"
import { clockSkew } from "./ClockSkew.ts"

describe("a clock against a chain", () => {
  it("is right within a minute, and within twenty blocks for an old head", () => {
    const slow = { blockTimeMs: 12_000 }
    assert.strictEqual(clockSkew(1_000, 1_060, slow), "none")
    assert.strictEqual(clockSkew(1_000, 1_061, slow), "behind")
    assert.strictEqual(clockSkew(1_300, 1_000, slow), "none")
    assert.strictEqual(clockSkew(1_301, 1_000, slow), "ahead")
    assert.strictEqual(clockSkew(1_062, 1_000, { blockTimeMs: 50 }), "ahead")
  })
})
