/**
 * Processor time of importing the core and the hosts, beside Node alone and `effect` alone, with what Node has compiled
 * kept from the first round. Programs take turns, so a busy machine disturbs all alike.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { percentile } from "../../../http/testing/load/ClosedLoop.ts"

const ROUNDS = 3

const root = join(import.meta.dirname, "../../../..")

const programs: Readonly<Record<string, ReadonlyArray<string>>> = {
  "effect": ["effect"],
  "Node alone": [],
  "the core (src/index.ts)": ["./src/index.ts"],
  "the oracle, all families": ["./hosts/families.ts", "./hosts/oracle/OracleHost.ts"],
  "the transfer service, all families": ["./hosts/families.ts", "./hosts/transfer/TransferHost.ts"]
}

/** Milliseconds of processor time of a process that imports these, with all its threads. */
const cost = (modules: ReadonlyArray<string>): number => {
  const imports = modules.map((name) => `await import(${JSON.stringify(name)});`).join("")
  const worked = "const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000))"
  const { stdout } = spawnSync(
    process.execPath,
    [
      "--require",
      join(root, "scripts/compile-cache.cjs"),
      "--input-type=module",
      "--eval",
      `${imports}${worked};process.exit()`
    ],
    { cwd: root, encoding: "utf8" }
  )
  return Number(stdout)
}

const rows = Object.entries(programs).map(([name, modules]) => ({ name, modules, ms: new Array<number>() }))
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const { modules, ms } of rows) {
    const one = cost(modules)
    if (round > 0) ms.push(one)
  }
}
const median = (values: ReadonlyArray<number>): number => percentile(values.toSorted((one, other) => one - other), 0.5)
const base = median(rows[0]?.ms ?? [])
process.stdout.write("\nImports: processor time, the median of the rounds\n     ratio           ms\n")
for (const { ms, name } of rows) {
  process.stdout.write(
    `${(median(ms) / base).toFixed(2).padStart(10)} ${median(ms).toFixed(0).padStart(12)}  ${name}\n`
  )
}
