/**
 * `npm run oracle:soak [-- SECONDS]`: the soak run of the oracle, ten minutes by default. Ends with 1 when something is
 * wrong.
 */
import { faultsOf } from "./Faults.ts"
import { soak } from "./Soak.ts"

const seconds = Number(process.argv[2] ?? "600")
if (!(seconds > 0)) throw new Error("npm run oracle:soak [-- SECONDS]")
const faults = faultsOf(await soak(seconds, (line) => process.stdout.write(`${line}\n`)))
for (const fault of faults) process.stdout.write(`WRONG: ${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
