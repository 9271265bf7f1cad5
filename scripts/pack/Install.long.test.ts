/**
 * The tarball as a user gets it: packed twice with the same result, installed into an empty project from the registry,
 * type-checked with the pinned compiler, and run. Long, because it installs. `Package.long.test.ts` shows every entry.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createHash } from "node:crypto"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { runWatched } from "../../src/testing/Embedded.ts"
import { pack } from "./Pack.ts"

const root = join(import.meta.dirname, "../..")
const folder = mkdtempSync(join(tmpdir(), "causeway-install-"))
const project = join(folder, "project")

const run = (program: string, args: ReadonlyArray<string>, cwd: string): string => {
  const { status, stderr, stdout } = spawnSync(program, args, { cwd, encoding: "utf8" })
  assert.strictEqual(status, 0, `${program} ${args.join(" ")}\n${stdout}${stderr}`)
  return stdout
}

const sha256 = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex")

/**
 * Every file of a package with the hash of its content. Only in declarations, the compiler writes the members of a
 * union in an order that varies from run to run; there the words are compared, not their order.
 */
const contentsOf = (tarball: string): ReadonlyMap<string, string> => {
  const unpacked = join(dirname(tarball), "package")
  return new Map(
    globSync("**/*.*", { cwd: unpacked }).toSorted().map((path) => {
      const content = readFileSync(join(unpacked, path))
      return [
        path,
        sha256(path.endsWith(".d.ts") ? content.toString("utf8").split(/\W+/).toSorted().join(" ") : content)
      ]
    })
  )
}

const Pins = Schema.fromJsonString(Schema.Struct({
  dependencies: Schema.Struct({ effect: Schema.String }),
  devDependencies: Schema.Struct({ typescript: Schema.String, "@types/node": Schema.String })
}))
const Lock = Schema.fromJsonString(Schema.Struct({ packages: Schema.Record(Schema.String, Schema.Json) }))

const { dependencies, devDependencies } = Schema.decodeUnknownSync(Pins)(
  readFileSync(join(root, "package.json"), "utf8")
)

const tsconfig = {
  compilerOptions: {
    target: "ES2024",
    module: "NodeNext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: ["node"],
    skipLibCheck: true,
    lib: ["ES2024", "ESNext.Disposable"]
  },
  files: ["embed.ts"]
}

let tarball = ""

beforeAll(async () => {
  tarball = await pack(root, join(folder, "packed"))
  run("mkdir", ["-p", project], folder)
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({
      name: "stranger",
      private: true,
      type: "module",
      dependencies: { "causeway-kit": `file:${tarball}`, ...dependencies },
      devDependencies
    })
  )
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(tsconfig))
  copyFileSync(join(root, "examples/embed.ts"), join(project, "embed.ts"))
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], project)
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const installed = (name: string): string => join(project, "node_modules", name)

describe("the published package", () => {
  it("is identical when packed again, except for the order in unions of declarations", async () => {
    assert.deepStrictEqual(contentsOf(await pack(root, join(folder, "again"))), contentsOf(tarball))
  })

  it("contains no Node, no chains, no compilers and no test tools", () => {
    const { packages } = Schema.decodeUnknownSync(Lock)(readFileSync(join(project, "package-lock.json"), "utf8"))
    const names = Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ""))
    const foreign =
      /^(?:node-linux-|@foundry-rs\/|solc$|@openzeppelin\/|vitest$|@effect\/vitest$|@stryker-mutator\/|esbuild$|viem$|tronweb$|@solana\/)/
    assert.deepStrictEqual(names.filter((name) => foreign.test(name)), [])
  })

  it("type-checks the example with the pinned compiler", () => {
    run(process.execPath, [installed("typescript/bin/tsc"), "-p", project], project)
  })

  it("runs the example: the same quote as in the repository, no socket, no port, no adapter", () => {
    const { modules, status, stderr, stdout } = runWatched(["embed.ts"], project)
    assert.strictEqual(status, 0, stderr)
    assert.strictEqual(stdout, run(process.execPath, ["examples/embed.ts"], root))
    const mine = modules.filter((url) => url.includes("/node_modules/causeway-kit/"))
    assert.isNotEmpty(mine)
    assert.deepStrictEqual(
      mine.filter((url) => !/causeway-kit\/(?:src\/index|shared\/modules\/chunk-\w+)\.js$/.test(url)),
      []
    )
    assert.deepStrictEqual(modules.filter((url) => /\/node_modules\/(?:viem|@effect)\//.test(url)), [])
  })

  it("has every entry that needs no optional peer, and a class is the same in all of them", () => {
    writeFileSync(
      join(project, "entries.ts"),
      `
      import * as kit from "causeway-kit"
      import * as Result from "effect/Result"
      import { StoreUnavailable } from "causeway-kit/ports"
      import * as storage from "causeway-kit/adapters/storage"
      import { Quoting } from "causeway-kit/services"
      await import("causeway-kit/adapters/prices")
      for (const name of ["", "/bitcoin", "/ethereum", "/tron", "/webhooks"]) await import("causeway-kit/client" + name)
      const refused = Quoting.Quoting.key + " " + new StoreUnavailable({ operation: "x" })._tag + " " + storage.migrations.length
      const bad = kit.parseFixedRate("nonsense")
      console.log(refused.length > 0, Result.isFailure(bad) && bad.failure instanceof kit.QuoteRefused)
    `
    )
    assert.strictEqual(run(process.execPath, ["entries.ts"], project).trim(), "true true")
  })
})
