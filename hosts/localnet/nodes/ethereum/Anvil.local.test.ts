import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Anvil } from "./Anvil.ts"

const chainId = 616199
const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
/** Waits for it. */
const until = (holds: () => boolean) => Effect.repeat(Effect.sleep(20), { until: holds })

describe("Anvil", () => {
  it.live("answers with its chain id, mines, reorganises, and ends with its scope", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const anvil = yield* Scope.provide(Anvil.start({ chainId }), scope)
      assert.strictEqual(yield* anvil.request("eth_chainId"), `0x${chainId.toString(16)}`)
      yield* anvil.mine(5)
      assert.strictEqual(yield* anvil.height, 5n)
      const hash = (block: unknown) => (block as { hash: string }).hash
      const before = hash(yield* anvil.request("eth_getBlockByNumber", ["0x5", false]))
      const kept = hash(yield* anvil.request("eth_getBlockByNumber", ["0x3", false]))
      yield* anvil.reorg(2)
      assert.strictEqual(yield* anvil.height, 5n)
      assert.notStrictEqual(hash(yield* anvil.request("eth_getBlockByNumber", ["0x5", false])), before)
      assert.strictEqual(hash(yield* anvil.request("eth_getBlockByNumber", ["0x3", false])), kept)
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(alive(anvil.pid))
    }))

  it.live("refuses a taken port and an unknown method", () =>
    Effect.scoped(Effect.gen(function*() {
      const anvil = yield* Anvil.start({ chainId })
      const taken = yield* Effect.flip(Anvil.start({ chainId, port: anvil.port }))
      assert.strictEqual(taken.kind, "port-taken")
      assert.include(taken.message, `${anvil.port}`)
      assert.strictEqual((yield* Effect.flip(anvil.request("nonsense"))).kind, "rpc")
    })))

  it.live("keeps its state in a file, over a restart", () =>
    Effect.scoped(Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "anvil-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const stateFile = join(folder, "chain.json")
      const address = "0x00000000000000000000000000000000000000aa"
      const first = yield* Anvil.start({ chainId, stateFile })
      yield* first.setBalance(address, 12345678901234567890n)
      yield* first.mine(3)
      yield* first.stop
      const second = yield* Anvil.start({ chainId, stateFile })
      assert.strictEqual(
        BigInt(String(yield* second.request("eth_getBalance", [address, "latest"]))),
        12345678901234567890n
      )
      assert.strictEqual(yield* second.height, 3n)
    })))

  it.live("hangs while paused and answers again afterwards, and ends with its scope even then", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const anvil = yield* Scope.provide(Anvil.start({ chainId }), scope)
      yield* anvil.pause
      assert.strictEqual((yield* Effect.timeoutOption(anvil.height, 200))._tag, "None")
      yield* anvil.resume
      assert.strictEqual(yield* anvil.height, 0n)
      yield* anvil.pause
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(alive(anvil.pid))
    }))

  it.live("reports when it is killed", () =>
    Effect.scoped(Effect.gen(function*() {
      const anvil = yield* Anvil.start({ chainId })
      process.kill(anvil.pid, "SIGKILL")
      const error = yield* Effect.flip(anvil.died)
      assert.include(error.message, `${chainId}`)
    })))

  it.live("ends with its parent, even when the parent is killed by SIGKILL", () =>
    Effect.gen(function*() {
      const program = `
        import { Effect } from "effect"
        import { Anvil } from ${JSON.stringify(join(import.meta.dirname, "Anvil.ts"))}
        await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
          const anvil = yield* Anvil.start({ chainId: ${chainId} })
          console.log(anvil.pid)
          return yield* Effect.never
        })))`
      const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
        cwd: import.meta.dirname,
        stdio: ["ignore", "pipe", "inherit"]
      })
      const pid = yield* Effect.callback<number>((resume) => {
        parent.stdout.once("data", (chunk: Buffer) => resume(Effect.succeed(Number(chunk.toString()))))
      })
      assert.isTrue(alive(pid))
      const scratch = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").find((word) =>
        word.includes("causeway-anvil-")
      )
      assert.isTrue(scratch !== undefined && existsSync(scratch))
      parent.kill("SIGKILL")
      yield* until(() => !alive(pid) && !existsSync(scratch ?? ""))
    }))
})
