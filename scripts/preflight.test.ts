import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"

const script = join(import.meta.dirname, "preflight.cjs")
const isFunction = (value: unknown): value is (machine: object) => unknown => typeof value === "function"
const Preflight = Schema.Struct({ complaints: Schema.declare(isFunction), untested: Schema.declare(isFunction) })
const preflight = Schema.decodeUnknownSync(Preflight)(createRequire(import.meta.url)(script))
const complaints = (machine: object) =>
  Schema.decodeUnknownSync(Schema.Array(Schema.String))(preflight.complaints(machine))
const good = {
  platform: "linux",
  arch: "x64",
  node: "24.21.0",
  glibc: "2.36",
  has: () => true,
  version: (name: string) => name === "litesvm" ? "1.5.0" : "1.7.1",
  solana: true
}
const says = (machine: object, ...texts: ReadonlyArray<string>) => {
  const found = complaints({ ...good, ...machine }).join("\n")
  for (const text of [...texts, "->"]) assert.include(found, text)
}
/** What `npm ci` installs of this lock file: the programs of the chains for Linux x64 alone. */
const byLock = (name: string) => !/anvil-|litesvm-/u.test(name) || /linux-amd64|linux-x64/u.test(name)

describe("preflight", () => {
  it("reports nothing on a complete machine", () => {
    assert.deepStrictEqual(complaints(good), [])
    assert.isUndefined(preflight.untested(good))
    const run = spawnSync(process.execPath, [script], { encoding: "utf8" })
    assert.deepStrictEqual([run.status, run.stdout, run.stderr], [0, "", ""])
  })

  it("says what is missing and what to do", () => {
    says({ glibc: undefined }, "glibc", "musl")
    says({ node: "18.0.0" }, "Node 20")
    says({ node: "20.1.0" }, "Node 24", "npm ci")
    says({ node: "20.1.0", platform: "darwin" }, "Install Node 24")
    says({ has: () => false }, "npm ci")
    says({ has: (name: string) => !name.includes("anvil") }, "@foundry-rs/anvil-linux-amd64", "npm ci")
    says({ has: (name: string) => !name.includes("litesvm") }, "litesvm-linux-x64-gnu", "npm ci")
  })

  const machines = [
    { platform: "darwin", arch: "arm64", evm: "@foundry-rs/anvil-darwin-arm64", solana: "litesvm-darwin-arm64" },
    { platform: "darwin", arch: "x64", evm: "@foundry-rs/anvil-darwin-amd64", solana: "litesvm-darwin-x64" },
    { platform: "linux", arch: "arm64", evm: "@foundry-rs/anvil-linux-arm64", solana: "litesvm-linux-arm64-gnu" }
  ]
  for (const { arch, evm, platform, solana } of machines) {
    it(`lets ${platform} on ${arch} where the programs of its chains are, and says that nothing was tested there`, () => {
      const here = { platform, arch, ...platform === "darwin" ? { glibc: undefined } : {} }
      assert.deepStrictEqual(complaints({ ...good, ...here }), [])
      assert.include(preflight.untested({ ...good, ...here }), `Untested on ${platform} ${arch}`)
      const lacking = { ...here, has: byLock }
      says(lacking, `npm install --no-save ${evm}@1.7.1 ${solana}@1.5.0\n`, "--without-solana", "linux/amd64")
      const without = complaints({ ...good, ...lacking, solana: false }).join("\n")
      assert.include(without, `npm install --no-save ${evm}@1.7.1\n`)
      assert.notInclude(without, "litesvm")
      const evmAlone = { ...here, solana: false, has: (name: string) => name === evm || byLock(name) }
      assert.deepStrictEqual(complaints({ ...good, ...evmAlone }), [])
    })
  }

  it("lets no machine that the chains are not built for, whatever is installed", () => {
    for (const [platform, arch] of [["win32", "x64"], ["linux", "s390x"], ["freebsd", "x64"], ["darwin", "ia32"]]) {
      says({ platform, arch }, `${platform} on ${arch}`, "npx causeway")
    }
  })
})
