/**
 * `npm run doctor [-- --json]`: compares the store with its chains and reports every difference. Changes nothing, and
 * may run beside the service: an embedded store is read from its file, without its lock.
 * Exit codes: 0 nothing differs, 1 something does, 2 it could not look.
 */
import { Console, Effect } from "effect"
import { describeFinding } from "../../../src/domain/audit/Finding.ts"
import type { Reconciliation } from "../../../src/services/Reconciling.ts"
import { Problem } from "../../configuration/Variables.ts"
import { args, command } from "./Command.ts"
import { diagnose } from "./Diagnosis.ts"

const DIFFERS = 1

const human = ({ checked, findings }: Reconciliation): string => [
  `looked at ${checked.payments} payments and ${checked.deposits} deposits on ${checked.chains} chains, and ${checked.unended} unended requests`,
  ...findings.map((finding) => `- ${describeFinding(finding)}`),
  findings.length === 0 ? "all agree" : `${findings.length} ${findings.length === 1 ? "difference" : "differences"}`
].join("\n")

command("doctor", Effect.gen(function*() {
  const [flag, ...others] = args()
  if (others.length > 0 || (flag !== undefined && flag !== "--json")) return yield* new Problem({ message: "it takes --json and nothing else" })
  const report = yield* diagnose
  yield* Console.log(flag === "--json" ? JSON.stringify({ agrees: report.findings.length === 0, ...report }) : human(report))
  return report.findings.length === 0 ? 0 : DIFFERS
}))
