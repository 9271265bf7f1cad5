/**
 * Hosts whose modules are joined: what they answer is what the sources answer, and a changed source is used at once. In
 * a copy of the tree, because the joined files are beside the dependencies.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generatePrivateKey } from "viem/accounts"
import chains from "../../configs/chains.local.json" with { type: "json" }
import { anyFree } from "../../hosts/localnet/nodes/Port.ts"
import { idOf, stubChain } from "../../hosts/oracle/testing/StubChain.ts"
import { fixtureOf } from "../testing/FixtureOf.ts"
import { joinHosts } from "./JoinHosts.ts"

const root = join(import.meta.dirname, "../..")

const copied = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "causeway-joined-"))
    for (const part of ["src", "ports", "adapters", "hosts", "configs", "package.json", "tsconfig.json"]) {
      cpSync(join(root, part), join(folder, part), { recursive: true })
    }
    cpSync(join(root, "scripts/compile-cache.cjs"), join(folder, "scripts/compile-cache.cjs"))
    mkdirSync(join(folder, "node_modules"))
    for (const name of readdirSync(join(root, "node_modules"))) {
      if (!name.startsWith(".")) symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name))
    }
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const MARK = "the joined file runs"

/** A tree whose hosts are joined; the joined files say so. */
const start = Effect.gen(function*() {
  const folder = yield* copied
  yield* Effect.promise(() => joinHosts(folder))
  for (const name of ["transfer", "worker", "oracle"]) {
    appendFileSync(join(folder, `node_modules/.cache/hosts/${name}.mjs`), `\nconsole.log(${JSON.stringify(MARK)})\n`)
  }
  return { folder }
})

class Joined extends fixtureOf<Joined>()("test/Joined", start) {}

/** Runs a program of the tree until its output has `until`, or it ends. */
const run = (folder: string, program: string, environment: Readonly<Record<string, string>> = {}, until = "\0") =>
  Effect.acquireRelease(
    Effect.callback<{ readonly said: string; readonly stop: () => void }>((resume) => {
      const child = spawn(process.execPath, [
        "--require",
        join(folder, "scripts/compile-cache.cjs"),
        join(folder, program)
      ], {
        cwd: folder,
        env: { PATH: process.env["PATH"], ...environment },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let said = ""
      const done = () => resume(Effect.succeed({ said, stop: () => void child.kill("SIGKILL") }))
      const hear = (chunk: Buffer) => {
        said += chunk.toString()
        if (said.includes(until)) done()
      }
      child.stdout.on("data", hear)
      child.stderr.on("data", hear)
      child.once("close", done)
    }),
    ({ stop }) => Effect.sync(stop)
  )

layer(Joined.layer, { excludeTestServices: true, timeout: "5 minutes" })("joined hosts", (it) => {
  it.effect(
    "explain what is missing as the sources do, and give way to a source that has changed",
    () =>
      Effect.gen(function*() {
        const { folder } = yield* Joined
        for (const program of ["hosts/transfer/main.ts", "hosts/transfer/worker.ts", "hosts/oracle/main.ts"]) {
          const { said: joined } = yield* run(folder, program)
          assert.include(joined, MARK)
          const { said: fromSources } = yield* run(root, program)
          assert.strictEqual(joined.replace(`${MARK}\n`, ""), fromSources)
        }
        appendFileSync(join(folder, "src/domain/money/Decimal.ts"), "\n")
        assert.notInclude((yield* run(folder, "hosts/oracle/main.ts")).said, MARK)
        yield* Effect.promise(() => joinHosts(folder))
      }),
    300_000
  )

  it.effect("an oracle attests a deposit, byte for byte as from its sources", () =>
    Effect.gen(function*() {
      const { folder } = yield* Joined
      const [alpha = assert.fail("no chain")] = chains
      const environment = {
        ENVIRONMENT: "local",
        CHAINS: "alpha",
        ALPHA_RPC_URL: yield* stubChain(alpha),
        HUB_RPC_URL: "http://127.0.0.1:9",
        HUB_ALLOCATOR: `0x${"a1".repeat(20)}`,
        ECDSA_PRIVATE_KEY: generatePrivateKey()
      }
      const body = JSON.stringify({ chainId: "alpha", transactionId: idOf("deposit") })
      const attested = Effect.fnUntraced(function*(tree: string) {
        const port = yield* anyFree
        yield* run(tree, "hosts/oracle/main.ts", { ...environment, HTTP_PORT: `${port}` }, "oracle is up")
        const ask = Effect.promise(async () => {
          const answer = await fetch(`http://127.0.0.1:${port}/attestations/depository-deposits/v1`, {
            method: "POST",
            body,
            headers: { "content-type": "application/json" }
          })
          return { status: answer.status, text: await answer.text() }
        })
        return yield* ask
      })
      const joined = yield* attested(folder)
      assert.strictEqual(joined.status, 200, joined.text)
      assert.deepStrictEqual(joined, yield* attested(root))
    }), 300_000)
})
