/**
 * Checks the checks: writes every violation of scripts/lint/LintViolations.ts into the tree, runs the linter and Effect's
 * diagnostics once over them, and fails if a violation is not caught by its rule, or if allowed code is. Guarantee: the
 * planted folders are always removed afterwards. Those of a run that was killed are removed by the next run.
 */
import { Schema } from "effect"
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type LintViolation, violations } from "./lint/LintViolations.ts"

const root = join(import.meta.dirname, "..")
/** The parents of the planted folders. Each gets one folder of this run, and only those folders are linted. */
const parents = [...new Set(violations.map(({ path }) => path.slice(0, path.indexOf("/*"))))]
const folder = `planted-${process.pid}-${randomBytes(4).toString("hex")}`

const LintReport = Schema.fromJsonString(Schema.Struct({
  diagnostics: Schema.Array(Schema.Struct({ code: Schema.optionalKey(Schema.String), filename: Schema.String }))
}))

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Removes this run's folders, and those of runs whose process is gone. */
const clean = (): void => {
  for (const parent of parents.map((name) => join(root, name)).filter((path) => existsSync(path))) {
    for (const name of readdirSync(parent)) {
      const pid = /^planted-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1]
      if (name === folder || (pid !== undefined && !isAlive(Number(pid)))) {
        rmSync(join(parent, name), { recursive: true, force: true })
      }
    }
  }
}

const fileOf = (violation: LintViolation, index: number): string => {
  const path = violation.path.replace("*", folder)
  return path.endsWith(".ts") ? path.replace(/A\.test\.ts$/, `Planted${index}.test.ts`) : `${path}/Planted${index}.ts`
}

const write = (path: string, code: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), code)
}

/** The rules that report each file, by file. */
const lint = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const folders = parents.map((parent) => `${parent}/${folder}`).filter((path) => existsSync(join(root, path)))
  const { stdout } = spawnSync(join(root, "node_modules/.bin/oxlint"), ["--format=json", ...folders], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28
  })
  const report = Schema.decodeUnknownSync(LintReport)(stdout)
  const found = new Map<string, Array<string>>()
  for (const { code, filename } of report.diagnostics) {
    const rules = found.get(filename) ?? []
    rules.push(code ?? "unknown")
    found.set(filename, rules)
  }
  return found
}

/** Plants an Effect that is made and never run. Only Effect's own diagnostics can detect that it does nothing. */
const diagnosticsCheck = (): boolean => {
  const path = `scripts/${folder}/Floating.ts`
  write(path, "import { Effect } from \"effect\"\nEffect.succeed(1)\nexport const x = 1\n")
  const diagnostics = spawnSync(process.execPath, [
    join(root, "scripts/effect-diagnostics.ts"),
    "--file",
    join(root, path)
  ])
  return diagnostics.stdout.includes("floatingEffect")
}

const misses = (found: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> =>
  violations.flatMap((violation, index) => {
    const rules = found.get(fileOf(violation, index)) ?? []
    const asExpected = violation.rule === "nothing" ? rules.length === 0 : rules.includes(violation.rule)
    return asExpected
      ? []
      : [`${violation.line} (${violation.path}): expected ${violation.rule}, found ${rules.join(", ") || "nothing"}`]
  })

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1))
process.once("exit", clean)
clean()
violations.forEach((violation, index) => write(fileOf(violation, index), violation.code))
const missed = [
  ...misses(lint()),
  ...(diagnosticsCheck() ? [] : ["no Effect left floating: effect-tsgo diagnostics did not report it"])
]
for (const line of missed) process.stderr.write(`NOT AS EXPECTED: ${line}\n`)
const forbidden = violations.filter((violation) => violation.rule !== "nothing").length + 1
process.stdout.write(
  `Planted ${forbidden} violations and ${violations.length + 1 - forbidden} allowed files: ${
    missed.length === 0 ? "all" : `all but ${missed.length}`
  } as expected\n`
)
process.exitCode = missed.length === 0 ? 0 : 1
