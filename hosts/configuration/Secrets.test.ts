import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as fc from "fast-check"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inputs } from "../../scripts/testing/Tally.ts"
import { layer, parseSecrets, readSecrets } from "./Secrets.ts"
import { readOptional } from "./Variables.ts"

const parsed = (contents: string) => Result.getOrElse(parseSecrets("file", contents), ({ message }) => message)

const name = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,20}$/)
const spellings = (value: string): ReadonlyArray<string> => [
  `"${value.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`,
  ...(/['\n\r]/.test(value) ? [] : [`'${value}'`]),
  ...(/['"\\\s]/.test(value) ? [] : [value])
]

const withFolder = (files: Readonly<Record<string, string>>, use: (folder: string) => Effect.Effect<void>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "secrets-"))
      for (const [file, contents] of Object.entries(files)) writeFileSync(join(folder, file), contents)
      return folder
    }),
    use,
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

const text = (variable: string) => readOptional({ name: variable, meaning: "a text", schema: Schema.String })

describe("secrets of a vault", () => {
  it("are read exactly as written, in any quotes, with or without an export", () => {
    fc.assert(
      fc.property(
        name,
        fc.string({ unit: "binary" }).filter((value) => !/[\u2028\u2029]/.test(value)),
        fc.constantFrom("", "export ", "  export  "),
        fc.nat(2),
        (key, value, prefix, at) => {
          const all = spellings(value)
          assert.deepStrictEqual(parsed(`# a comment\n\n${prefix}${key}=${all[at % all.length]}\r\nLAST=1`), [[
            key,
            value
          ], ["LAST", "1"]])
        }
      ),
      { numRuns: inputs(1_000, 100_000) }
    )
  })

  it("are never executed, truncated or guessed", () => {
    assert.deepStrictEqual(parsed("A=$(id)\nB=a#b\nC=`id`\nD=\nE=a=b=c;"), [
      ["A", "$(id)"],
      ["B", "a#b"],
      ["C", "`id`"],
      ["D", ""],
      ["E", "a=b=c;"]
    ])
    for (const wrong of ["A", "A: b", "=b", "A=a b", "A='b", "A=\"b", "A='a'b", "A=b # c", "1A=b", "A B=c", "A=\\"]) {
      const message = parsed(`OK=1\n${wrong}`)
      assert.include(message, "file, line 2: expected NAME=VALUE", wrong)
    }
    assert.notInclude(parsed("KEY=very secret"), "very")
  })

  it("are parsed or refused, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (contents) => {
        parseSecrets("file", contents)
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })

  it.effect("come from every file of the folder; the environment takes precedence unless it is empty", () =>
    withFolder(
      { a: "A=file\nB=file\nB_C=file", b: "export D='file'", ".hidden": "not a secret" },
      (folder) =>
        Effect.gen(function*() {
          mkdirSync(join(folder, "nested"))
          const read = Effect.all([text("A"), text("B"), text("B_C"), text("D"), text("E")])
          const values = yield* Effect.provide(
            read,
            layer(folder, { A: "environment", A_X: "1", B: "", D_X: "1", E: "environment" })
          )
          assert.deepStrictEqual(values, ["environment", "file", "file", "file", "environment"])
        }).pipe(Effect.orDie)
    ))

  it.effect("of a missing default folder are none", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* readSecrets(join(tmpdir(), "no such folder")), {})
    }))

  it.effect("come from a named folder, which must exist", () =>
    withFolder({ a: "A=file" }, (folder) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* Effect.provide(text("A"), layer(undefined, { SECRETS_FOLDER: folder })), "file")
        const { message } = yield* Effect.flip(
          Effect.provide(text("A"), layer(undefined, { SECRETS_FOLDER: join(folder, "none") }))
        )
        assert.include(message, "SECRETS_FOLDER names a folder that is not there")
      }).pipe(Effect.orDie)))

  it.effect("that contradict each other or do not parse stop the start, with every problem listed", () =>
    withFolder({ a: "A=1", b: "A=2", c: "A" }, (folder) =>
      Effect.gen(function*() {
        const { message } = yield* Effect.flip(readSecrets(folder))
        assert.include(message, "has A twice")
        assert.include(message, "c, line 1")
      }).pipe(Effect.orDie)))
})
