/**
 * Runs every `*.bench.ts` of the tree, each in its own process, and prints a table of ratios. A bench file exports
 * `baseline`, the name of the case that counts as 1, and `cases`: named functions that do one unit of work. Ratios are
 * comparable between machines; times are printed for orientation only. `--against COMMIT` measures the programs of
 * another commit beside this one's, in the loads that support it.
 */
import { Effect, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { checkOut } from "../hosts/transfer/testing/PastCode.ts"

const root = join(import.meta.dirname, "..")
const WARM_UP_MS = 200
const ROUNDS = 5
const ROUND_MS = 200

type Case = () => unknown
const Bench = Schema.Struct({
  baseline: Schema.String,
  cases: Schema.Record(Schema.String, Schema.declare((value): value is Case => typeof value === "function"))
})

/** Calls `run` for about `ms` milliseconds and returns the microseconds that one call took. */
const microsPerCall = async (run: Case, ms: number): Promise<number> => {
  const start = performance.now()
  let calls = 0
  do {
    await run()
    calls += 1
  } while (performance.now() - start < ms)
  return ((performance.now() - start) * 1000) / calls
}

/** The fastest of several rounds, which is the least disturbed one. */
const measure = async (run: Case): Promise<number> => {
  await microsPerCall(run, WARM_UP_MS)
  let best = Infinity
  for (let round = 0; round < ROUNDS; round += 1) best = Math.min(best, await microsPerCall(run, ROUND_MS))
  return best
}

const runFile = async (path: string): Promise<void> => {
  const imported: unknown = await import(pathToFileURL(join(root, path)).href)
  const { baseline, cases } = Schema.decodeUnknownSync(Bench)(imported)
  const rows: Array<{ readonly name: string; readonly micros: number }> = []
  for (const [name, run] of Object.entries(cases)) rows.push({ name, micros: await measure(run) })
  const one = rows.find(({ name }) => name === baseline)?.micros
  if (one === undefined) throw new Error(`${path}: the baseline ${baseline} is not among its cases`)
  process.stdout.write(`\n${path}\n`)
  for (const { name, micros } of rows) {
    process.stdout.write(`${(micros / one).toFixed(2).padStart(10)} x ${micros.toFixed(2).padStart(12)} µs  ${name}\n`)
  }
}

/** When this is the first argument, the commit in the second is measured too. */
const AGAINST = "--against"

/** When this is the first argument, one bench file runs in this process. */
const ALONE = "--alone"

const [first, second] = process.argv.slice(2)
if (first === ALONE && second !== undefined) {
  await runFile(second)
} else {
  const [other, wanted] = first === AGAINST ? [second, process.argv.slice(4)] : [undefined, process.argv.slice(2)]
  const files = globSync("{src,ports,adapters,hosts,property-tests,scripts}/**/*.{bench,load}.ts", { cwd: root })
    .filter((path) => wanted.length === 0 || wanted.some((part) => path.includes(part)))
    .toSorted()
  if (files.length === 0) process.stdout.write("No such bench.\n")
  const programOf = (path: string) =>
    path.endsWith(".load.ts") ? [join(root, path)] : [import.meta.filename, ALONE, path]
  const failedWith = (variables: Readonly<Record<string, string>>) =>
    files.filter((path) =>
      spawnSync(process.execPath, programOf(path), {
        cwd: root,
        stdio: "inherit",
        env: { ...process.env, ...variables }
      }).status !== 0
    )
  const failed = other === undefined
    ? failedWith({})
    : Effect.runSync(Effect.scoped(Effect.map(checkOut(other), (folder) => failedWith({ BENCH_AGAINST: folder }))))
  for (const path of failed) process.stderr.write(`FAILED: ${path}\n`)
  process.exitCode = failed.length === 0 ? 0 : 1
}
