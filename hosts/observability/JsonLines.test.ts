import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { jsonLines } from "./JsonLines.ts"

/** The log of a program: as written to stdout, and as Effect's own JSON logger formats it. */
const logged = (program: Effect.Effect<void>) =>
  Effect.gen(function*() {
    const theirs: Array<string> = []
    const written: Array<string> = []
    const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      written.push(String(text))
      return true
    })
    // The last line is written at once, together with all lines before it.
    const all = Effect.andThen(program, Effect.logWarning("end"))
    yield* Effect.provide(
      all,
      Logger.layer([
        jsonLines,
        Logger.map(Logger.formatJson, (line) => {
          theirs.push(line)
        })
      ])
    )
    write.mockRestore()
    return { ours: written.join("").trimEnd().split("\n"), theirs }
  })

describe("the log", () => {
  it.effect("has the lines of effect's own JSON logger", () =>
    Effect.gen(function*() {
      const { ours, theirs } = yield* logged(Effect.gen(function*() {
        yield* Effect.logInfo("plain")
        yield* Effect.annotateLogs(Effect.logInfo("with \"quotes\" and ü\n"), { id: "0x12", count: 3, yes: true })
        yield* Effect.annotateLogs(Effect.logInfo("nested"), { deep: { list: [1n, "two"] } })
        yield* Effect.logInfo("two", "texts")
        yield* Effect.logWarning({ a: 1 })
        yield* Effect.logError("failed", new Error("why"))
        yield* Effect.withLogSpan(Effect.logInfo("within a span"), "span")
      }))
      assert.lengthOf(ours, 8)
      assert.deepStrictEqual(ours, theirs)
    }))

  it.effect("shows only the host of a URL, in a text, a cause or an annotation", () =>
    Effect.gen(function*() {
      const url = "https://user:s3cret@node.example/s3cret"
      const { ours } = yield* logged(Effect.gen(function*() {
        yield* Effect.logInfo(`cannot reach ${url}`)
        yield* Effect.annotateLogs(Effect.logInfo("annotated"), { url })
        yield* Effect.logError("a defect", new Error(`fetch ${url} failed`, { cause: new Error(`"${url}"`) }))
      }))
      assert.lengthOf(ours, 4)
      assert.notInclude(ours.join(), "s3cret")
      assert.include(ours.join(), "https://…")
    }))
})
