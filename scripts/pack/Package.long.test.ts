/**
 * The tarball at work: unpacked into an empty project, beside the packages that its manifest declares and no others.
 * Each entry loads, and a transfer service started from it answers the client that is started from it. Long, because it
 * compiles.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { get } from "../../hosts/transfer/testing/Get.ts"
import { startHost } from "../../hosts/transfer/testing/HostProcess.ts"
import { startNetwork } from "../../hosts/transfer/testing/TransferNetwork.ts"
import { pack } from "./Pack.ts"

const root = join(import.meta.dirname, "../..")
const folder = mkdtempSync(join(tmpdir(), "causeway-package-"))
const project = join(folder, "project")
const kit = join(project, "node_modules/causeway-kit")

const Versions = Schema.Record(Schema.String, Schema.String)
const Manifest = Schema.fromJsonString(Schema.Struct({
  bin: Versions,
  exports: Schema.Record(Schema.String, Schema.Json),
  dependencies: Versions,
  peerDependencies: Versions
}))

const manifestOf = () => Schema.decodeUnknownSync(Manifest)(readFileSync(join(kit, "package.json"), "utf8"))

const HOST = `
import { layerTransferHost } from "causeway-kit/hosts/transfer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Layer } from "effect"
NodeRuntime.runMain(Layer.launch(layerTransferHost))
`

const CLIENT = `
import { createClient } from "causeway-kit/client"
const client = createClient({ url: process.argv[2], verify: "trust the service" })
const { chains } = await client.call("GET /chains", {})
console.log(chains.map(({ name }) => name).toSorted().join(" "))
`

/** Runs one module of the project. Returns what it prints. */
const run = (name: string, text: string, ...args: ReadonlyArray<string>): string => {
  writeFileSync(join(project, name), text)
  return execFileSync(process.execPath, [name, ...args], { cwd: project, encoding: "utf8" }).trim()
}

/** Runs the executable, as npm links it, with these variables. */
const runCommand = (words: ReadonlyArray<string>, variables: Readonly<Record<string, string>> = {}): string =>
  execFileSync(join(project, "node_modules/.bin/causeway"), words, {
    cwd: project,
    encoding: "utf8",
    env: { PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`, NO_COLOR: "1", ...variables }
  })

beforeAll(async () => {
  const tarball = await pack(root, join(folder, "packed"))
  mkdirSync(kit, { recursive: true })
  execFileSync("tar", ["-xzf", tarball, "-C", kit, "--strip-components=1"])
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }))
  const { dependencies, peerDependencies } = manifestOf()
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    const link = join(project, "node_modules", name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, "node_modules", name), link)
  }
  mkdirSync(join(project, "node_modules/.bin"))
  for (const [name, path] of Object.entries(manifestOf().bin)) {
    chmodSync(join(kit, path), 0o755)
    symlinkSync(join(kit, path), join(project, "node_modules/.bin", name))
  }
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the unpacked package", () => {
  it("has the client, its wallets, both hosts and the laws, and each of its entries loads", () => {
    const entries = Object.keys(manifestOf().exports).filter((entry) => entry !== "./package.json")
    const clients = ["bitcoin", "ethereum", "solana", "tron", "verify", "webhooks"].map((name) => `./client/${name}`)
    assert.includeMembers(entries, [
      ".",
      "./client",
      ...clients,
      "./hosts/transfer",
      "./hosts/oracle",
      "./property-tests"
    ])
    const empty = run(
      "entries.js",
      `
      for (const entry of process.argv.slice(2)) {
        const { length } = Object.keys(await import("causeway-kit" + entry.slice(1)))
        if (length === 0) console.log(entry)
      }
    `,
      ...entries
    )
    assert.strictEqual(empty, "")
  })

  it("has the command, which needs no optional package to show its help", () => {
    const hidden = join(folder, "hidden")
    const optional = join(project, "node_modules/viem")
    renameSync(optional, hidden)
    try {
      assert.include(runCommand(["--help"]), "USAGE\n  causeway <subcommand> [flags]")
      assert.include(runCommand(["transfer", "--help"]), "--key-file")
    } finally {
      renameSync(hidden, optional)
    }
  })

  it.live(
    "runs a transfer service that serves the dashboard and its API document, and answers the package's client",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { chains, environment } = yield* startNetwork
        mkdirSync(join(project, "hosts/transfer"), { recursive: true })
        writeFileSync(join(project, "hosts/transfer/main.ts"), HOST)
        const { url } = yield* startHost(environment, project)
        const page = yield* get(`${url}/dashboard`)
        assert.strictEqual(page.status, 200, page.text)
        assert.include(page.text, "dashboard/app.js")
        for (const name of ["app.js", "app.css"]) {
          const served = yield* get(`${url}/dashboard/${name}`)
          assert.strictEqual(served.text, readFileSync(join(kit, "dashboard", name), "utf8"), name)
        }
        assert.strictEqual((yield* get(`${url}/openapi.json`)).status, 200)
        assert.include(run("client.js", CLIENT, url), "alpha")
        assert.match(runCommand(["chains", "--url", url]), /^alpha +616101 +evm +served +ETH /mu)
        const [user] = chains.users
        const way = ["--from", "alpha", "--to", "beta", "--amount", "0.1", "--rpc-url", chains.alpha.url, "--url", url]
        const paid = runCommand(["transfer", ...way, "--trust"], { WALLET_PRIVATE_KEY: user ?? "" })
        assert.match(paid, /^status +success$/mu)
      })),
    120_000
  )
})
