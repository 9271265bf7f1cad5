/** A store has one owner, also among several processes and after an owner was killed. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { acquire } from "./Lock.ts"

const HOLDER = fileURLToPath(new URL("../testing/lock-holder.ts", import.meta.url))

const temporaryStore = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-lock-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
).pipe(Effect.map((folder) => join(folder, "deep", "store.db")))

const ended = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) resume(Effect.void)
    else child.once("exit", () => resume(Effect.void))
  })

/** Starts another process that tries to take the store, and returns its first line. */
const rival = (store: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly child: ChildProcess; readonly line: string }>((resume) => {
      const child = spawn(process.execPath, [HOLDER, store], { stdio: ["ignore", "pipe", "inherit"] })
      child.stdout.once("data", (data: Buffer) => resume(Effect.succeed({ child, line: data.toString("utf8").trim() })))
    }),
    ({ child }) => Effect.andThen(Effect.sync(() => child.kill("SIGKILL")), ended(child))
  )

it.live("a second process learns who owns the store, and gets it once the owner is killed", () =>
  Effect.gen(function*() {
    const store = yield* temporaryStore
    const first = yield* rival(store)
    assert.strictEqual(first.line, "taken")
    const second = yield* rival(store)
    assert.include(second.line, `is in use by process ${first.child.pid}`)
    const refused = yield* Effect.flip(Effect.scoped(acquire(store)))
    assert.strictEqual(refused._tag === "StoreInUse" ? refused.ownerPid : undefined, first.child.pid)
    first.child.kill("SIGKILL")
    yield* ended(first.child)
    const third = yield* rival(store)
    assert.strictEqual(third.line, "taken")
  }).pipe(Effect.scoped))

it.live("the end of the scope releases the store; two scopes of one process exclude each other, too", () =>
  Effect.gen(function*() {
    const store = yield* temporaryStore
    yield* Effect.scoped(Effect.gen(function*() {
      yield* acquire(store)
      const refused = yield* Effect.flip(Effect.scoped(acquire(store)))
      assert.strictEqual(refused._tag === "StoreInUse" ? refused.ownerPid : undefined, process.pid)
      // The refused attempt must not have released the lock (POSIX locks belong to a process, not to a descriptor).
      assert.include((yield* rival(store)).line, `is in use by process ${process.pid}`)
    }))
    assert.strictEqual((yield* rival(store)).line, "taken")
  }).pipe(Effect.scoped))
