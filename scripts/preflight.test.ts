import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"

const script = join(import.meta.dirname, "preflight.cjs")
const Preflight = Schema.Struct({
  complaints: Schema.declare((value): value is (machine: object) => unknown => typeof value === "function")
})
const preflight = Schema.decodeUnknownSync(Preflight)(createRequire(import.meta.url)(script))
const complaints = (machine: object) =>
  Schema.decodeUnknownSync(Schema.Array(Schema.String))(preflight.complaints(machine))
const good = { platform: "linux", arch: "x64", node: "24.21.0", glibc: "2.36", has: () => true }

describe("preflight", () => {
  it("reports nothing on a complete machine", () => {
    assert.deepStrictEqual(complaints(good), [])
    const run = spawnSync(process.execPath, [script], { encoding: "utf8" })
    assert.deepStrictEqual([run.status, run.stdout, run.stderr], [0, "", ""])
  })

  it("says what is missing and what to do", () => {
    const says = (machine: object, ...texts: ReadonlyArray<string>) => {
      const found = complaints({ ...good, ...machine }).join("\n")
      for (const text of [...texts, "->"]) assert.include(found, text)
    }
    says({ platform: "darwin", arch: "arm64" }, "darwin", "Linux x64", "anvil", "litesvm", "npx causeway")
    says({ arch: "arm64" }, "arm64", "Linux x64")
    says({ glibc: undefined }, "glibc", "musl")
    says({ node: "18.0.0" }, "Node 20")
    says({ node: "20.1.0" }, "Node 24", "npm ci")
    says({ has: () => false }, "npm ci")
    says({ has: (name: string) => !name.includes("anvil") }, "anvil")
  })
})
