/** A process killed in the middle of a transaction leaves what it had committed, and nothing else. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describeEngines, TestDatabase } from "../testing/engines.ts"
import { layerDatabase } from "./Database.ts"

const WRITER = fileURLToPath(new URL("../testing/crash-writer.ts", import.meta.url))

/** Runs the writer until it has written, and kills it then. */
const crash = (url: string) =>
  Effect.callback<string>((resume) => {
    const child = spawn(process.execPath, [WRITER], {
      env: { ...process.env, DATABASE_URL: url },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let said = ""
    child.stdout.on("data", (data: Buffer) => {
      said += data.toString("utf8")
      child.kill("SIGKILL")
    })
    child.once("exit", () => resume(Effect.succeed(said)))
  })

describeEngines((_name, _layer, database) => {
  it.live("a kill between statements loses only what was not committed", () =>
    Effect.gen(function*() {
      const url = yield* TestDatabase
      assert.strictEqual(yield* crash(Redacted.value(url)), "written\n")
      const rows = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT id FROM written`.values)
      assert.deepStrictEqual(yield* Effect.provide(rows, layerDatabase(url)), [["committed"]])
    }).pipe(Effect.provide(database)))
})
