/**
 * `npm run mutate`: runs Stryker over the parts of the core that money depends on, then writes the tables of
 * docs/mutation-report.md.
 *
 * Results are kept in .causeway/mutation, so that a second run tests only what changed. Arguments are Stryker's: `npm
 * run mutate -- --mutate 'src/domain/quorum/*.ts' --concurrency 2`. `--report a.json b.json` runs nothing and writes
 * the tables from existing reports. A partial run prints its tables and does not change the page. Ends with 1 below 90
 * %.
 */
import { Schema } from "effect"
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { MutationReport, scoreOf, tablesOf } from "./mutation/Report.ts"

const LEAST_SCORE = 90
const MARK = "<!-- written by npm run mutate -->"

const root = join(import.meta.dirname, "..")
const page = join(root, "docs/mutation-report.md")

/**
 * Stryker and its dependencies, installed separately, so that `npm ci` does not install what only this program needs.
 */
const tools = join(root, ".causeway/mutation/tools")

const install = (): void => {
  mkdirSync(tools, { recursive: true })
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
    copyFileSync(join(root, "scripts/mutation", name), join(tools, name))
  }
  const { status } = spawnSync("npm", ["ci"], { cwd: tools, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}

const runStryker = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  install()
  const { status } = spawnSync(join(tools, "node_modules/.bin/stryker"), ["run", ...args], {
    cwd: root,
    stdio: "inherit",
    env: { CAUSEWAY_INPUTS: "60", ...process.env }
  })
  if (status !== 0) process.exit(status ?? 1)
  return [join(root, ".causeway/mutation/report.json")]
}

const [first, ...rest] = process.argv.slice(2)
const reports = first === "--report" ? rest : runStryker(process.argv.slice(2))
const files = Object.fromEntries(
  reports.flatMap((path) => Object.entries(Schema.decodeUnknownSync(MutationReport)(readFileSync(path, "utf8")).files))
)
if (process.argv.includes("--mutate")) process.stdout.write(`${tablesOf(files)}\n`)
else {
  const [prose = ""] = readFileSync(page, "utf8").split(MARK)
  writeFileSync(page, `${prose}${MARK}\n\n${tablesOf(files)}`)
}
const score = scoreOf(Object.values(files).flatMap(({ mutants }) => mutants))
process.stdout.write(`${score.toFixed(1)} % of the mutants are killed\n`)
process.exitCode = score < LEAST_SCORE ? 1 : 0
