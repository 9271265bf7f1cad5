/**
 * The oracle's image, built from its Dockerfile without a container engine and run as its user: its contents, its user,
 * its answers without any endpoint, and its shutdown. Long, because it installs.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ChildProcess } from "node:child_process"
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { findBinary, announceSkip } from "../../../../scripts/testing/Capability.ts"
import { build, readDockerfile, start } from "./testing/Image.ts"
import type { Built } from "./testing/Image.ts"

const root = join(import.meta.dirname, "../../../..")
const canRun = process.getuid?.() === 0 && findBinary("setpriv") !== undefined
if (!canRun) {
  announceSkip("the container without an engine", "only root can start it as nobody, by setpriv of util-linux")
}

const Locked = Schema.Struct({
  dev: Schema.optionalKey(Schema.Boolean),
  dependencies: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})
const Lock = Schema.fromJsonString(Schema.Struct({ packages: Schema.Record(Schema.String, Locked) }))
const { packages } = Schema.decodeUnknownSync(Lock)(readFileSync(join(root, "package-lock.json"), "utf8"))

const folder = mkdtempSync(join(tmpdir(), "causeway-image-"))
const running: Array<ChildProcess> = []
let built: Built

beforeAll(() => {
  if (canRun) built = build(readDockerfile(readFileSync(join(root, "hosts/oracle/Dockerfile"), "utf8")), root, folder)
}, 300_000)

afterAll(() => {
  for (const child of running) child.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

const freePort = () => Effect.runPromise(anyFree)

const KEY = `0x${"2a".repeat(32)}`

/** Runs the image with these variables, and collects its output. */
const run = (environment: Readonly<Record<string, string>>) => {
  const child = start(built, environment)
  running.push(child)
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.on("exit", (code, signal) => resolve(code ?? signal))
  )
  return { child, ended, output: () => output }
}

const answer = async (url: string, init?: RequestInit): Promise<Response> => {
  for (;;) {
    const response = await fetch(url, init).catch(() => undefined)
    if (response !== undefined) return response
    await setTimeout(50)
  }
}

describe.skipIf(!canRun)("the oracle's container", () => {
  it("contains what it needs to run and nothing else: no development dependency, no test", () => {
    const at = (pattern: string) => globSync(pattern, { cwd: built.app })
    const present = at("node_modules/{*,@*/*}")
    for (const name of Object.keys(packages[""]?.dependencies ?? {})) assert.include(present, `node_modules/${name}`)
    assert.deepStrictEqual(present.filter((path) => packages[path]?.dev === true || path.includes("node-linux")), [])
    assert.deepStrictEqual(at("{src,ports,adapters,hosts,scripts}/**/*{.test,.bench,.load}.ts"), [])
    assert.deepStrictEqual(at("{src,ports,adapters,hosts}/**/testing"), [])
    assert.sameMembers(at("*"), [
      "adapters",
      "configs",
      "hosts",
      "node_modules",
      "package-lock.json",
      "package.json",
      "ports",
      "scripts",
      "src"
    ])
  })

  it(
    "runs as nobody, is alive and not ready without an endpoint, attests nothing, and exits with 0 when told to stop",
    async () => {
      const port = await freePort()
      const secrets = join(folder, "secrets")
      mkdirSync(secrets)
      writeFileSync(join(secrets, "oracle"), `export ECDSA_PRIVATE_KEY='${KEY}'\nAPI_KEYS="from-the-vault:test"\n`)
      chmodSync(join(secrets, "oracle"), 0o444)
      const { child, ended, output } = run({
        ENVIRONMENT: "local",
        CHAINS: "alpha,beta",
        ALPHA_RPC_URL: "http://127.0.0.1:9",
        BETA_RPC_URL: "http://127.0.0.1:9",
        HUB_RPC_URL: "http://127.0.0.1:9",
        HUB_ALLOCATOR: `0x${"a1".repeat(20)}`,
        HTTP_HOST: "127.0.0.1",
        HTTP_PORT: `${port}`,
        SECRETS_FOLDER: secrets,
        SHUTDOWN_DELAY_SECONDS: "1"
      })
      const url = `http://127.0.0.1:${port}`
      const headers = { "x-api-key": "from-the-vault", "content-type": "application/json" }
      const alive = await Promise.race([
        answer(`${url}/lives/v1`),
        ended.then((how) => {
          throw new Error(`the image ended with ${how}:\n${output()}`)
        })
      ])
      assert.deepStrictEqual(await alive.json(), { status: "ok" })

      // Node itself, without a shell in front of it, so that it receives signals directly.
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8")
      assert.match(status, /^Name:\s+(?:node|MainThread)$/m)
      assert.match(status, /^Uid:\s+65534\s+65534\s+65534\s+65534$/m)
      assert.match(status, /^Groups:\s*$/m)
      assert.match(status, /^NoNewPrivs:\s+1$/m)

      assert.strictEqual((await answer(`${url}/chains/v1`)).status, 401)
      assert.include(await (await answer(`${url}/ready/v1`, { headers })).text(), "\"status\":\"not-ready\"")
      const asked = await answer(`${url}/attestations/depository-deposits/v1`, {
        method: "POST",
        headers,
        body: JSON.stringify({ chainId: "alpha", transactionId: `0x${"77".repeat(32)}` })
      })
      assert.strictEqual(asked.status, 503)

      child.kill("SIGTERM")
      assert.strictEqual(await ended, 0)
      assert.include(output(), "shutting down: no longer ready")
      assert.include(output(), "libsecp256k1")
      assert.notInclude(output(), KEY.slice(2))
      assert.notInclude(output(), "from-the-vault")
    },
    120_000
  )

  it("lists in one message what its environment lacks, and exits with 1", async () => {
    const { ended, output } = run({ ENVIRONMENT: "local" })
    assert.strictEqual(await ended, 1)
    for (const name of ["ALPHA_RPC_URL", "BETA_RPC_URL", "HUB_RPC_URL", "HUB_ALLOCATOR", "ECDSA_PRIVATE_KEY"]) {
      assert.include(output(), name)
    }
  }, 120_000)
})
