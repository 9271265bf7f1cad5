import { assert, describe, it } from "@effect/vitest"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findBinary } from "./Capability.ts"

describe("findBinary", () => {
  it("finds what can be executed, and only that", () => {
    const folder = mkdtempSync(join(tmpdir(), "causeway-capability-"))
    try {
      const name = "causeway-binary-of-a-test"
      const path = join(folder, name)
      assert.isUndefined(findBinary(name, [folder]))
      writeFileSync(path, "#!/bin/sh\n", { mode: 0o644 })
      assert.isUndefined(findBinary(name, [folder]))
      chmodSync(path, 0o755)
      assert.strictEqual(findBinary(name, [folder]), path)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("prefers PATH", () => {
    assert.isString(findBinary("sh", []))
  })
})
