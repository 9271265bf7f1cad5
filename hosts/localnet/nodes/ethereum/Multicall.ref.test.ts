import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { multicall3InitCode } from "./Multicall.ts"

describe("Multicall3", () => {
  it("is the code that viem carries", () => {
    const viem = dirname(createRequire(import.meta.url).resolve("viem/package.json"))
    const constants = readFileSync(join(viem, "_esm", "constants", "contracts.js"), "utf8")
    assert.include(constants, `multicall3Bytecode = '${multicall3InitCode}'`)
  })
})
