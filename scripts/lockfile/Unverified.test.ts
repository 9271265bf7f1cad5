/** Everything that `npm ci` can install is compared with a hash in this repository. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { dangling, readLock, unverified, withoutUnverified } from "./Unverified.ts"

const hash = `sha512-${"A".repeat(86)}==`
const text = (packages: object): string => `${JSON.stringify({ name: "x", packages }, null, 2)}\n`

describe.each([
  ["package-lock.json", 300],
  ["scripts/mutation/package-lock.json", 150]
])("%s", (name, many) => {
  const written = readFileSync(join(import.meta.dirname, "../..", name), "utf8")
  const lock = readLock(written)

  it("has an integrity for every package, and a package for every optional dependency (npm run lock)", () => {
    assert.isAbove(Object.keys(lock.packages).length, many)
    assert.deepStrictEqual(unverified(lock), [])
    assert.deepStrictEqual(dangling(lock), [])
  })

  it("names no registry", () => {
    assert.notMatch(written, /"resolved"/)
  })
})

describe("a lock file with packages that cannot be verified", () => {
  const before = {
    "": { version: "1.0.0", optionalDependencies: { tool: "2.0.0" } },
    "node_modules/tool": {
      version: "2.0.0",
      integrity: hash,
      optionalDependencies: { "tool-here": "2.0.0", "tool-there": "2.0.0" }
    },
    "node_modules/tool-here": { version: "2.0.0", integrity: hash, optional: true },
    "node_modules/tool-there": { version: "2.0.0", optional: true },
    "node_modules/weak": { version: "1.0.0", integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=", optional: true },
    "node_modules/user": { version: "1.0.0", integrity: hash, optionalDependencies: { weak: "1.0.0" } }
  }

  it("names them, of whatever kind the missing hash is", () => {
    assert.deepStrictEqual(unverified(readLock(text(before))), ["node_modules/tool-there", "node_modules/weak"])
  })

  it("loses them and what asks for them, and nothing else", () => {
    assert.strictEqual(
      withoutUnverified(text(before)).text,
      text({
        "": before[""],
        "node_modules/tool": { version: "2.0.0", integrity: hash, optionalDependencies: { "tool-here": "2.0.0" } },
        "node_modules/tool-here": before["node_modules/tool-here"],
        "node_modules/user": { version: "1.0.0", integrity: hash }
      })
    )
  })
})
