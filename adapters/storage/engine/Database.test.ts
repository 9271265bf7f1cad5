/** Which store a URL names; no error repeats the URL. */
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted, Schema } from "effect"
import { inspect } from "node:util"
import { DatabaseUrl, Engine, layerDatabase } from "./Database.ts"

const SECRET = "hunter2"

const withheld = (exit: Exit.Exit<unknown, unknown>): void => {
  assert.isTrue(Exit.isFailure(exit))
  const shown = Exit.isFailure(exit)
    ? [Cause.pretty(exit.cause), inspect(exit, { depth: 20 }), JSON.stringify(exit)]
    : []
  for (const text of shown) assert.notInclude(text, SECRET)
}

it("a URL of another engine is refused without being shown", () => {
  for (
    const url of [
      "sqlite:",
      `mysql://u:${SECRET}@host/db`,
      `postgres://u:${SECRET}@host:99999/db`,
      `postgres://u:${SECRET}@ho st/db`,
      SECRET,
      ""
    ]
  ) withheld(Schema.decodeExit(DatabaseUrl)(url))
  for (const url of ["sqlite:.causeway/store.db", "sqlite::memory:", "postgres://u:p@h/d", "postgresql:///d?host=h"]) {
    const decoded = Schema.decodeExit(DatabaseUrl)(url)
    assert.isTrue(Exit.isSuccess(decoded) && Redacted.value(decoded.value) === url)
    assert.notInclude(inspect(decoded, { depth: 20 }), url)
  }
})

const open = (url: string) => Effect.exit(Effect.provide(Engine, layerDatabase(Redacted.make(url))))

it.live("an unreachable server is named by host, port and cause", () =>
  Effect.gen(function*() {
    const exit = yield* open(`postgres://someone:${SECRET}@127.0.0.1:1/db`)
    assert.include(
      Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "",
      "PostgreSQL at 127.0.0.1:1 cannot be used: nothing listens there (ECONNREFUSED)"
    )
    withheld(exit)
    assert.notInclude(inspect(exit, { depth: 20 }), "someone")
  }))

it.live("a store that cannot be opened fails the start, without the URL", () =>
  Effect.gen(function*() {
    withheld(yield* open(`mysql://u:${SECRET}@host/db`))
    withheld(yield* open(`postgres://u:${SECRET}@127.0.0.1:1/db`))
    withheld(yield* open(`postgres://u:p@127.0.0.1:5432/db?port=${SECRET}x`))
    withheld(yield* open(`sqlite:${import.meta.filename}/not-a-folder/store.db`))
    assert.deepStrictEqual(yield* open("sqlite::memory:"), Exit.succeed("sqlite" as const))
  }))
