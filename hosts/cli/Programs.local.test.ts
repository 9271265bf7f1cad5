/**
 * Every program of package.json that does something and ends has the same `--help`, `--json` and exit codes, and so has
 * `npm start`. The other servers are configured by variables alone. What is a command of `causeway` is tested within a
 * process (command/Causeway.test.ts).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { WIDTH } from "./Help.ts"
import { handedOver } from "./HandOver.ts"
import { VERSION } from "./Program.ts"
import { pathsBelow } from "../localnet/run/state/Paths.ts"
import { startedAsByNpm } from "../../scripts/testing/StartedAsByNpm.ts"

const root = join(import.meta.dirname, "../..")
const Manifest = Schema.fromJsonString(
  Schema.Struct({ version: Schema.String, scripts: Schema.Record(Schema.String, Schema.String) })
)
const { scripts, version } = Schema.decodeUnknownSync(Manifest)(readFileSync(join(root, "package.json"), "utf8"))

const servers = ["transfer", "worker", "oracle", "oracle:soak"]

/** What each program cannot do without a store, a network or a variable, and the reason that it gives. */
const failing: Readonly<Record<string, readonly [words: ReadonlyArray<string>, reason: string]>> = {
  start: [["--all-families", "--without-solana"], "usage"],
  demo: [[], "no-network"],
  status: [[], "no-network"],
  withdraw: [[], "no-network"],
  attest: [["--chain", "alpha"], "no-network"],
  simulate: [["--floor", "none"], "usage"],
  causeway: [["chains", "--url", "http://127.0.0.1:1"], "no-answer"]
}

/** Its own commands need no process to be tested. */
const isOwn = (command: string): boolean => handedOver([command]) === undefined

const programs = Object.entries(scripts).flatMap(([name, script]) => {
  const [, main, command] = /(hosts\/\S+\.ts)(?: (\S+))?$/.exec(script) ?? []
  if (main === undefined || servers.includes(name) || (command !== undefined && isOwn(command))) return []
  return [{ name, program: [join(root, main), ...command === undefined ? [] : [command]] }]
})

const ran = (program: ReadonlyArray<string>, ...words: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number; readonly out: string; readonly error: string }>((resume) => {
    const child = execFile(
      process.execPath,
      [...startedAsByNpm, ...program, ...words],
      { env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", DATABASE_URL: "sqlite:/nowhere/store.db" } },
      (_, out, error) => resume(Effect.succeed({ code: child.exitCode ?? -1, out, error }))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const Failed = Schema.fromJsonString(
  Schema.Struct({ error: Schema.Struct({ reason: Schema.String, message: Schema.NonEmptyString }) })
)
const reasonIn = (line: string): string => {
  assert.match(line, /^[^\n]+\n$/, "one line")
  return Schema.decodeUnknownSync(Failed)(line).error.reason
}

describe("the command-line programs", () => {
  it("are those that this suite can make fail", () =>
    assert.deepStrictEqual(programs.map(({ name }) => name).toSorted(), Object.keys(failing).toSorted()))

  it("have the package's version", () => assert.strictEqual(VERSION, version))

  for (const { name, program } of programs) {
    const [words, reason] = failing[name] ?? [[], ""]
    it.live(`npm run ${name} shows its usage, what was wrong, and why it failed`, () =>
      Effect.gen(function*() {
        const [help, wrong, wrongJson, failed] = yield* Effect.all([
          ran(program, "--help"),
          ran(program, "--nonsense"),
          ran(program, "--nonsense", "--json"),
          // A network that is running here is left alone.
          existsSync(pathsBelow().localnetFile) && reason === "no-network"
            ? Effect.undefined
            : ran(program, ...words, "--json")
        ], { concurrency: 2 })
        assert.deepStrictEqual([help.code, help.error], [0, ""])
        for (const word of ["USAGE", name, "--json", "--help"]) assert.include(help.out, word)
        assert.deepStrictEqual(help.out.split("\n").filter((line) => line.length > WIDTH), [])

        assert.deepStrictEqual([wrong.code, wrong.out], [2, ""])
        assert.match(wrong.error, new RegExp(`^${name}: .*--nonsense`, "u"))
        assert.include(wrong.error, name === "causeway" ? "npx causeway --help" : `npm run ${name} -- --help`)
        assert.deepStrictEqual([wrongJson.code, reasonIn(wrongJson.out), wrongJson.error], [2, "usage", ""])

        if (failed === undefined) return
        assert.deepStrictEqual(
          [failed.code, reasonIn(failed.out), failed.error],
          [reason === "usage" ? 2 : 1, reason, ""]
        )
      }))
  }
})
