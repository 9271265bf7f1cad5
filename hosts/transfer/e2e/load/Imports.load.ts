/**
 * Processor time of importing the core and the hosts, and of the transfer service until it has read its variables,
 * beside `effect` alone, with what Node has compiled kept from the first round. Programs take turns, so a busy machine
 * disturbs all alike. `--against COMMIT` measures the same of another commit. The last row is of joined modules
 * (`npm run join`), which are there for this row only.
 */
import { spawnSync } from "node:child_process"
import { renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { percentile } from "../../../http/testing/load/ClosedLoop.ts"

const ROUNDS = 5

const root = join(import.meta.dirname, "../../../..")
const folders = [{ name: "", root }]
const other = process.env["BENCH_AGAINST"]
if (other !== undefined) folders.push({ name: ", the other commit", root: other })

const importing = (...modules: ReadonlyArray<string>): ReadonlyArray<string> => [
  "--input-type=module",
  "--eval",
  `${modules.map((name) => `await import(${JSON.stringify(name)});`).join("")}process.exit()`
]

const HOST = ["hosts/transfer/main.ts"]

const programs: Readonly<Record<string, ReadonlyArray<string>>> = {
  "effect": importing("effect"),
  "Node alone": importing(),
  "the core (src/index.ts)": importing("./src/index.ts"),
  "the oracle, all families": importing("./hosts/families.ts", "./hosts/oracle/OracleHost.ts"),
  "the transfer service, all families": importing("./hosts/families.ts", "./hosts/transfer/TransferHost.ts"),
  // Without variables it ends there.
  "the transfer service until it has read its variables": HOST
}

/** Writes what the process has taken, in user and system mode, to the fourth stream. */
const REPORT = `data:text/javascript,${
  encodeURIComponent(
    `import { writeSync } from "node:fs"
     process.on("exit", () => { const { user, system } = process.cpuUsage(); writeSync(3, String((user + system) / 1000)) })`
  )
}`

/** Milliseconds of processor time of a process, with all its threads. */
const cost = (root: string, program: ReadonlyArray<string>): number => {
  const { output } = spawnSync(
    process.execPath,
    ["--require", join(root, "scripts/compile-cache.cjs"), "--import", REPORT, ...program],
    { cwd: root, encoding: "utf8", env: { PATH: process.env["PATH"] }, stdio: ["ignore", "ignore", "ignore", "pipe"] }
  )
  return Number(output[3])
}

const rows = Object.entries(programs).flatMap(([name, program]) =>
  folders.map((folder) => ({ name: `${name}${folder.name}`, root: folder.root, program, ms: new Array<number>() }))
)
const joined = { name: "the same, its modules joined", ms: new Array<number>() }
const list = join(root, "node_modules/.cache/hosts/joined.json")
spawnSync(process.execPath, [join(root, "scripts/join-hosts.ts")], { stdio: "inherit" })
for (let round = 0; round <= ROUNDS; round += 1) {
  renameSync(list, `${list}.off`)
  for (const { ms, program, root } of rows) {
    const one = cost(root, program)
    if (round > 0) ms.push(one)
  }
  renameSync(`${list}.off`, list)
  const one = cost(root, HOST)
  if (round > 0) joined.ms.push(one)
}
rmSync(list)
const median = (values: ReadonlyArray<number>): number => percentile(values.toSorted((one, next) => one - next), 0.5)
const base = median(rows[0]?.ms ?? [])
process.stdout.write(
  "\nImports: processor time, the median and the least of the rounds\n     ratio           ms     least\n"
)
for (const { ms, name } of [...rows, joined]) {
  process.stdout.write(
    `${(median(ms) / base).toFixed(2).padStart(10)} ${median(ms).toFixed(0).padStart(12)} ${
      Math.min(...ms).toFixed(0).padStart(9)
    }  ${name}\n`
  )
}
