import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { temporaryFolder } from "../../localnet/testing/TemporaryFolder.ts"
import { changeBeside, hideTable, numberBeside } from "./BesideStore.ts"

/** A host's connection, in the thread of the test, in the middle of a transaction. */
const busyHost = Effect.gen(function*() {
  const file = join(yield* temporaryFolder, "store.db")
  const host = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(file)),
    (database) => Effect.sync(() => database.close())
  )
  host.exec("PRAGMA journal_mode = WAL; CREATE TABLE one (n INTEGER)")
  host.exec("BEGIN IMMEDIATE; INSERT INTO one VALUES (1)")
  return { host, url: `sqlite:${file}` }
})

describe("a store beside its host", () => {
  it.live("is changed when the host, in the same thread, has ended its transaction", () =>
    Effect.scoped(Effect.gen(function*() {
      const { host, url } = yield* busyHost
      const changing = yield* Effect.forkChild(
        changeBeside(url, (store) => {
          store.exec("UPDATE one SET n = n + 1")
        }),
        { startImmediately: true }
      )
      assert.isUndefined(changing.pollUnsafe())
      host.exec("COMMIT")
      yield* Fiber.join(changing)
      assert.strictEqual(yield* numberBeside(url, "SELECT n FROM one"), 2)
    })))

  it.live("lacks a table as long as it is hidden", () =>
    Effect.scoped(Effect.gen(function*() {
      const { host, url } = yield* busyHost
      host.exec("COMMIT")
      yield* Effect.scoped(Effect.gen(function*() {
        yield* hideTable(url, "one")
        assert.throws(() => host.prepare("SELECT n FROM one").all(), "no such table")
      }))
      assert.strictEqual(yield* numberBeside(url, "SELECT n FROM one"), 1)
    })))
})
