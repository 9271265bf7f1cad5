/** Reads in one go see what any other statement would see: nothing that is not durable, but within a transaction its own. */
import { assert, it } from "@effect/vitest"
import { Array as Arr, Effect, Layer, References, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { directRead } from "./DirectReads.ts"
import * as Sqlite from "./Sqlite.ts"

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.Int })))

const store = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-reads-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const filename = join(folder, "store.db")
  const sql = yield* Effect.provide(SqlClient.SqlClient, yield* Layer.build(Sqlite.layer({ filename })))
  yield* sql`CREATE TABLE written (id INTEGER PRIMARY KEY)`
  const other = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(filename, { readOnly: true })),
    (opened) => Effect.sync(() => opened.close())
  )
  return {
    sql,
    filename,
    durable: () => other.prepare("SELECT id FROM written ORDER BY id").all().map(({ id }) => id),
    write: (id: number) => sql`INSERT INTO written (id) VALUES (${id})`,
    read: Effect.flatMap(
      directRead(sql, sql`SELECT id FROM written ORDER BY id`),
      (rows) => Effect.map(decodeRows(rows), Arr.map(({ id }) => id))
    )
  }
})

/** Writes the row that a line of its input names, and answers the line once that is committed. */
const WRITER = `
  const { DatabaseSync } = require("node:sqlite")
  const database = new DatabaseSync(process.argv[1], { timeout: 5000 })
  const insert = database.prepare("INSERT INTO written (id) VALUES (?)")
  require("node:readline").createInterface(process.stdin).on("line", (line) => {
    insert.run(Number(line))
    process.stdout.write(line + "\\n")
  })
`

/** Another process that writes to the file. */
const otherWriter = (filename: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, ["-e", WRITER, filename], { stdio: ["pipe", "pipe", "inherit"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => {
      const lines = createInterface(child.stdout)
      return {
        /** Completes when the row is committed. */
        write: (id: number) =>
          Effect.callback<void>((resume) => {
            lines.once("line", () => resume(Effect.void))
            child.stdin.write(`${id}\n`)
          })
      }
    }
  )

/** As a host that collects no traces. */
const untraced = Effect.provideService(References.TracerEnabled, false)

it.live("a read beside writes that are not committed returns only what is durable by then", () =>
  Effect.gen(function*() {
    const { durable, read, sql, write } = yield* store
    const seen = Effect.map(read, (ids) => ({ ids, durable: durable() }))
    const slow = sql.withTransaction(Effect.andThen(write(1), Effect.andThen(Effect.sleep("20 millis"), write(2))))
    const failing = sql.withTransaction(Effect.andThen(write(3), Effect.fail("no")))
    const reads = Array.from({ length: 20 }, (_, n) => Effect.andThen(Effect.sleep(n * 2), seen))
    const writes = Effect.all([slow, Effect.exit(failing), write(4)], { concurrency: "unbounded" })
    const [all] = yield* Effect.all([Effect.all(reads, { concurrency: "unbounded" }), writes], {
      concurrency: "unbounded"
    })
    for (const { durable: then, ids } of all) assert.includeMembers([...then], [...ids])
    assert.deepStrictEqual(yield* read, [1, 2, 4])
  }).pipe(untraced, Effect.scoped))

it.live("a read within a transaction sees what the transaction has written", () =>
  Effect.gen(function*() {
    const { read, sql, write } = yield* store
    assert.deepStrictEqual(yield* sql.withTransaction(Effect.andThen(write(1), read)), [1])
    assert.deepStrictEqual(yield* read, [1])
  }).pipe(untraced, Effect.scoped))

it.live("a read sees at once what another process has committed before it, also between own writes", () =>
  Effect.gen(function*() {
    const { filename, read, write } = yield* store
    const other = yield* otherWriter(filename)
    const written: Array<number> = []
    for (let id = 1; id <= 60; id += 1) {
      yield* id % 3 === 0 ? write(id) : other.write(id)
      written.push(id)
      assert.deepStrictEqual(yield* read, written)
      assert.deepStrictEqual(yield* read, written)
    }
  }).pipe(untraced, Effect.scoped))
