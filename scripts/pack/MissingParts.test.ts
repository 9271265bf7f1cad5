/** What would make `npm run pack` fail is found without compiling. */
import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import manifest from "../../package.json" with { type: "json" }
import { entriesOf } from "./Exports.ts"
import { copied, missingFiles, missingParts } from "./MissingParts.ts"

const root = join(import.meta.dirname, "../..")

const write = (folder: string, path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

const within = (use: (folder: string) => void): void => {
  const folder = mkdtempSync(join(tmpdir(), "causeway-parts-"))
  try {
    use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("the parts of the package", () => {
  it("are all in the repository: each export has a source that the compiler is given", () => {
    assert.deepStrictEqual(missingParts(root, manifest), [])
  })

  it("include the client, each of its wallets, and both hosts", () => {
    const subpaths = entriesOf(root, manifest.exports).map(({ subpath }) => subpath)
    const clients = ["bitcoin", "ethereum", "solana", "tron", "verify", "webhooks"].map((name) => `./client/${name}`)
    assert.includeMembers(subpaths, [".", "./client", ...clients, "./hosts/transfer", "./hosts/oracle"])
  })

  it("are named when they are missing: each by its own line", () => {
    within((folder) => {
      for (const path of ["one/index.ts", "many/a/index.ts", "many/b/index.ts", ...copied.slice(1)]) {
        write(folder, path, "")
      }
      write(folder, "tsconfig.build.json", JSON.stringify({ include: ["many/a/index.ts"] }))
      const exports = {
        "./one": "./one/index.ts",
        "./gone": "./gone/index.ts",
        "./many/*": "./many/*/index.ts",
        "./none/*": "./none/*/index.ts"
      }
      const named = missingParts(folder, { bin: { command: "./cli/command.ts" }, exports }).map((line) =>
        line.split(":")[0]
      )
      assert.deepStrictEqual(named, [
        "./gone/index.ts",
        "./none/*/index.ts",
        "one/index.ts",
        "many/b/index.ts",
        "cli/command.ts",
        "configs"
      ])
    })
  })

  it("include every file that a module reads beside itself, by the path that it has in the package", () => {
    within((folder) => {
      const read = (path: string) => `export const at = new URL("${path}", import.meta.url)\n`
      write(folder, "hosts/a/index.js", read("../../there.json") + read("../../node_modules/.cache/x/"))
      write(folder, "hosts/b/index.js", read("../../absent/") + read("../../../there.json"))
      write(folder, "there.json", "{}")
      assert.deepStrictEqual(missingFiles(folder), [
        "absent: hosts/b/index.js reads it",
        "../there.json: hosts/b/index.js reads it"
      ])
    })
  })
})
