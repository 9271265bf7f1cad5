/**
 * `npm run doctor [-- --json] [--since <time or duration>]`: compares the configuration and the store with the chains
 * and reports every difference; since a time those of what has happened since or is still open. Changes nothing, and
 * may run beside the service: an embedded store is read from its file, without its lock. Exit codes: 0 nothing differs,
 * 1 something does, 2 it could not look.
 */
import { Clock, Console, Effect } from "effect"
import { describeFinding } from "../../../src/domain/reconciliation/Finding.ts"
import { Problem } from "../../configuration/Variables.ts"
import { args, command, FAILED } from "./Command.ts"
import { compareConfiguration, tableOf } from "./Configuration.ts"
import { diagnose } from "./Diagnosis.ts"
import type { Diagnosis } from "./Diagnosis.ts"
import { parseSince } from "./Since.ts"

const DIFFERS = 1

const human = ({ checked, findings, refused, warnings }: Diagnosis): string =>
  [
    `looked at ${checked.payments} payments and ${checked.deposits} deposits on ${checked.chains} chains, and ${checked.unended} unended requests`,
    ...findings.map((finding) => `- ${describeFinding(finding)}`),
    ...refused.map((message) => `- the service does not start: ${message}`),
    ...warnings.map((warning) => `warning: ${warning}`),
    findings.length === 0 ? "all agree" : `${findings.length} ${findings.length === 1 ? "difference" : "differences"}`
  ].join("\n")

const asked = Effect.gen(function*() {
  const now = yield* Clock.currentTimeMillis
  const given = args()
  const at = given.indexOf("--since")
  const since = at < 0 ? undefined : parseSince(given[at + 1] ?? "", now)
  const others = given.filter((each, index) => each !== "--json" && (at < 0 || (index !== at && index !== at + 1)))
  if (others.length > 0) {
    return yield* new Problem({ message: "it takes --json, --since <time or duration>, and nothing else" })
  }
  if (at >= 0 && since === undefined) {
    return yield* new Problem({
      message:
        "--since is a time that has passed (2026-11-20, 2026-11-20T06:30:00Z), or how long ago it was (90m, 24h, 7d)"
    })
  }
  return { json: given.includes("--json"), since }
})

command(
  "doctor",
  Effect.gen(function*() {
    const { json, since } = yield* asked
    const configuration = yield* compareConfiguration
    // Before the store is looked at: that may fail for the very reason that stands in the table.
    if (!json) yield* Console.log(`${tableOf(configuration)}\n`)
    const report = yield* diagnose(since)
    const differs = report.findings.length > 0 || report.refused.length > 0 ||
      configuration.some(({ verdict }) => verdict === "differs")
    yield* Console.log(json ? JSON.stringify({ agrees: !differs, ...report, configuration }) : human(report))
    if (configuration.some(({ verdict }) => verdict === "unread")) return FAILED
    return differs ? DIFFERS : 0
  })
)
