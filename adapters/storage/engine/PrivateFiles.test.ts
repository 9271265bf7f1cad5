/** Only its owner can read a store, under any umask, in any folder, and wherever a process is killed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { migrations } from "../migrations/index.ts"
import { backup, restore } from "./Backup.ts"
import { layerDatabase } from "./Database.ts"
import { migrate } from "./Migrations.ts"

const CHILD = fileURLToPath(new URL("../testing/open-umask.ts", import.meta.url))

/** A folder in which every user has every permission. */
const openFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "causeway-open-"))
    chmodSync(path, 0o777)
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The mode of every file in the folder. */
const modes = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]))

const allPrivate = (folder: string, ...names: ReadonlyArray<string>) => {
  const found = modes(folder)
  for (const name of names) assert.property(found, name)
  assert.deepStrictEqual(found, Object.fromEntries(Object.keys(found).map((name) => [name, "600"])))
}

/** Runs the child with umask 0 and kills it once `until` returns true. Returns whether it was still running then. */
const killed = (what: string, env: Readonly<Record<string, string>>, until: (said: string) => boolean) =>
  Effect.callback<boolean>((resume) => {
    const child = spawn(process.execPath, [CHILD, what], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let said = ""
    child.stdout.on("data", (data: Buffer) => {
      said += data.toString("utf8")
    })
    let failed: Effect.Effect<never> | undefined
    const looking = setInterval(() => {
      try {
        if (until(said)) child.kill("SIGKILL")
      } catch (error) {
        failed = Effect.die(error)
        child.kill("SIGKILL")
      }
    }, 1)
    child.once("exit", (_code, signal) => {
      clearInterval(looking)
      resume(failed ?? Effect.succeed(signal === "SIGKILL"))
    })
  })

describe("files of an embedded store in a shared folder, with umask 0", () => {
  it.live(
    "are readable by their owner only: the store, SQLite's files beside it, and a backup that was killed halfway",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const folder = yield* openFolder
        const store = join(folder, "store.db")
        assert.isTrue(
          yield* killed("write", { STORE: store }, (said) => {
            if (said !== "") {
              allPrivate(folder, "store.db", "store.db-wal", "store.db-shm", "store.db.lock", "store.db.lock.pid")
            }
            return said !== ""
          })
        )
        allPrivate(folder, "store.db", "store.db-wal", "store.db-shm")
        const target = join(folder, "copy.db")
        assert.isTrue(yield* killed("backup", { STORE: store, TARGET: target }, () => existsSync(`${target}.partial`)))
        allPrivate(folder, "copy.db.partial")
        // The next backup removes what the killed one left, and is complete.
        yield* backup(store, target)
        allPrivate(folder, "copy.db")
        assert.notProperty(modes(folder), "copy.db.partial")
      })),
    60_000
  )

  it.live("get that mode when an older version, or a copy, left them open", () =>
    Effect.scoped(Effect.gen(function*() {
      const folder = yield* openFolder
      const store = join(folder, "store.db")
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.andThen(
          migrate(migrations),
          Effect.sync(() => {
            chmodSync(`${store}-wal`, 0o666)
            return sql
          })
        )).pipe(Effect.provide(layerDatabase(Redacted.make(`sqlite:${store}`))))
      yield* backup(store, join(folder, "copy.db"))
      for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o666)
      const umask = process.umask(0)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.umask(umask)))
      yield* restore(join(folder, "copy.db"), store, migrations, 1)
      // The previous store and the restored one are private; the backup itself keeps its mode.
      chmodSync(join(folder, "copy.db"), 0o600)
      allPrivate(folder, "store.db")
      chmodSync(store, 0o666)
      yield* Effect.sync(() => allPrivate(folder)).pipe(Effect.provide(layerDatabase(Redacted.make(`sqlite:${store}`))))
    })))

  it.live("are files: a folder in the place of one keeps its mode, and the store is refused", () =>
    Effect.scoped(Effect.gen(function*() {
      const folder = join(yield* openFolder, "folder")
      const beside = join(dirname(folder), "store.db")
      for (const path of [folder, `${beside}-wal`]) {
        mkdirSync(path)
        chmodSync(path, 0o755)
      }
      for (const [store, named] of [[folder, folder], [beside, `${beside}-wal`]] as const) {
        const refused = yield* Effect.flip(Effect.scoped(Layer.build(layerDatabase(Redacted.make(`sqlite:${store}`)))))
        assert.include(refused.message, `${named} is not a file`)
        assert.strictEqual(statSync(named).mode & 0o777, 0o755)
      }
    })))

  it.live("are not written through a link that someone else has put in a backup's place", () =>
    Effect.scoped(Effect.gen(function*() {
      const folder = yield* openFolder
      const store = join(folder, "store.db")
      yield* migrate(migrations).pipe(Effect.provide(layerDatabase(Redacted.make(`sqlite:${store}`))))
      const elsewhere = join(folder, "elsewhere")
      writeFileSync(elsewhere, "")
      symlinkSync(elsewhere, join(dirname(store), "copy.db.partial"))
      yield* backup(store, join(folder, "copy.db"))
      assert.strictEqual(statSync(elsewhere).size, 0)
    })))
})
