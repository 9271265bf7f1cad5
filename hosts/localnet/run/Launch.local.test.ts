import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { anyFree, isFree } from "../nodes/Port.ts"
import * as Leftovers from "./Leftovers.ts"
import { chainsOnlyPaths, pathsBelow } from "./state/Paths.ts"
import { isRunning } from "./Running.ts"
import { chainIdOf } from "./Slug.ts"
import { described, serving, start } from "../testing/NpmStart.ts"
import { temporaryFolder } from "../testing/TemporaryFolder.ts"
import { tally } from "../../../scripts/testing/Tally.ts"

const answers = (url: string, method: string) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] }),
      headers: { "content-type": "application/json" }
    })
    return Schema.decodeUnknownSync(Schema.Struct({ result: Schema.String }))(await response.json()).result
  })

describe("npm start", () => {
  it.live("describes its running services, and leaves nothing behind after a kill and a closed terminal", () =>
    Effect.scoped(Effect.gen(function*() {
      const root = yield* temporaryFolder
      const paths = pathsBelow(root)
      for (const signal of ["SIGTERM", "SIGHUP"] as const) {
        const program = yield* start(root)
        yield* serving(program)
        const localnet = yield* described(root)
        assert.strictEqual(statSync(paths.localnetFile).mode & 0o777, 0o600)
        assert.strictEqual(localnet.pid, program.pid)
        assert.strictEqual(localnet.accounts.length, 10)
        assert.deepStrictEqual(localnet.chains.map(({ id, settlement }) => [id, settlement]), [["alpha", false], [
          "beta",
          true
        ]])
        for (const { chainId, rpcUrl } of [...localnet.chains, localnet.hub]) {
          assert.strictEqual(Number(yield* answers(rpcUrl, "eth_chainId")), chainId)
        }
        assert.include(program.output(), `${localnet.transferUrl}/quote`)
        const { solana } = localnet
        assert.strictEqual(yield* answers(solana?.rpcUrl ?? "", "getGenesisHash"), solana?.genesisHash)
        assert.strictEqual(solana?.accounts.length, 10)
        assert.include(program.output(), solana?.depository ?? "no address")
        const chains = yield* Leftovers.find(paths)
        assert.strictEqual(chains.length, 4)
        program.kill(signal)
        // A signal reaches us twice: from the terminal, and from npm, which received it too.
        program.kill(signal)
        assert.strictEqual(yield* program.ended, 0, program.output())
        tally("kills", 1)
        assert.deepStrictEqual(
          readdirSync(paths.folder).filter((name) => !["localnet.log", "run.lock", "state"].includes(name)),
          []
        )
        assert.deepStrictEqual(chains.filter(isRunning), [])
        yield* Effect.promise(() =>
          fetch(localnet.transferUrl).then(() => assert.fail("it still answers"), () => undefined)
        )
      }
    })))

  it.live("starts again after SIGKILL with the same keys, refuses a second run meanwhile, and ends by Ctrl-C", () =>
    Effect.scoped(Effect.gen(function*() {
      const root = yield* temporaryFolder
      const paths = pathsBelow(root)
      const first = yield* start(root)
      yield* serving(first)
      const keys = readFileSync(paths.keys, "utf8")
      const second = yield* start(root)
      assert.strictEqual(yield* second.ended, 1)
      assert.include(second.output(), `process ${first.pid}`)
      assert.isTrue(existsSync(paths.localnetFile))
      first.kill("SIGKILL")
      tally("kills", 1)
      const third = yield* start(root)
      yield* serving(third)
      assert.strictEqual((yield* described(root)).pid, third.pid)
      assert.strictEqual(readFileSync(paths.keys, "utf8"), keys)
      assert.include(third.output(), "kept")
      third.kill("SIGINT")
      third.kill("SIGINT")
      assert.strictEqual(yield* third.ended, 0)
      assert.deepStrictEqual(yield* Leftovers.find(paths), [])
      const fresh = yield* start(root, {}, ["--fresh", "--without-solana"])
      yield* serving(fresh)
      assert.isUndefined((yield* described(root)).solana)
      assert.strictEqual((yield* Leftovers.find(paths)).length, 3)
      assert.notStrictEqual(readFileSync(paths.keys, "utf8"), keys)
    })))

  it.live("with --chains-only it runs no service, and writes their variables while it runs", () =>
    Effect.scoped(Effect.gen(function*() {
      const root = yield* temporaryFolder
      const paths = chainsOnlyPaths(pathsBelow(root))
      const program = yield* start(root, {}, ["--chains-only", "--without-solana"])
      yield* serving(program)
      const variables = parseEnv(readFileSync(join(paths.folder, "transfer.env"), "utf8"))
      assert.strictEqual(Number(yield* answers(variables.ALPHA_RPC_URL ?? "", "eth_chainId")), chainIdOf.alpha)
      assert.isTrue(yield* isFree(Number(variables.TRANSFER_PORT)))
      assert.isFalse(existsSync(pathsBelow(root).localnetFile))
      program.kill("SIGINT")
      assert.strictEqual(yield* program.ended, 0)
      assert.deepStrictEqual(readdirSync(paths.folder).filter((name) => name.endsWith(".env")), [])
      assert.deepStrictEqual(yield* Leftovers.find(paths), [])
    })))

  it.live("names the chain that has died, ends the others, and fails", () =>
    Effect.scoped(Effect.gen(function*() {
      const root = yield* temporaryFolder
      const paths = pathsBelow(root)
      const program = yield* start(root)
      yield* serving(program)
      const chains = yield* Leftovers.find(paths)
      const beta = chains.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("beta.json"))
      process.kill(beta ?? 0, "SIGKILL")
      tally("kills", 1)
      assert.strictEqual(yield* program.ended, 1)
      assert.include(program.output(), "chain id 616102")
      assert.deepStrictEqual(chains.filter(isRunning), [])
      assert.isFalse(existsSync(paths.localnetFile))
    })))

  it.live("refuses invalid arguments, and a requested port that is taken", () =>
    Effect.scoped(Effect.gen(function*() {
      const root = yield* temporaryFolder
      const nonsense = yield* start(root, {}, ["--refresh"])
      assert.strictEqual(yield* nonsense.ended, 2)
      assert.include(nonsense.output(), "--refresh")
      const port = `${yield* anyFree}`
      const first = yield* start(root, { HUB_PORT: port })
      yield* serving(first)
      assert.strictEqual((yield* described(root)).hub.rpcUrl, `http://127.0.0.1:${port}`)
      const taken = yield* start(yield* temporaryFolder, { HUB_PORT: port })
      assert.strictEqual(yield* taken.ended, 1)
      assert.include(taken.output(), `HUB_PORT asks for port ${port}`)
    })))
})
