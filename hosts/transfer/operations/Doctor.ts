/**
 * Compares the configuration and the store with the chains and reports every difference. With `--since` only those of
 * events that happened since then or are still open. Changes nothing, and may run beside the service: an embedded store
 * is read from its file, without its lock.
 */
import { Clock, Console, Effect } from "effect"
import { describeFinding } from "../../../src/domain/reconciliation/Finding.ts"
import { widthOf, wrapped } from "../../cli/Help.ts"
import { answer, Json, ProgramFailed, wrongUsage } from "../../cli/Program.ts"
import { compareConfiguration, tableOf } from "./Configuration.ts"
import { diagnose } from "./Diagnosis.ts"
import type { Diagnosis } from "./Diagnosis.ts"
import { operation } from "./Operation.ts"
import { parseSince } from "./Since.ts"

const human = ({ checked, findings, refused, warnings }: Diagnosis): string =>
  [
    `checked ${checked.payments} payments and ${checked.deposits} deposits on ${checked.chains} chains, and ${checked.unended} unended requests`,
    ...findings.map((finding) => `- ${describeFinding(finding)}`),
    ...refused.map((message) => `- the service does not start: ${message}`),
    ...warnings.map((warning) => `warning: ${warning}`),
    findings.length === 0 ? "all agree" : `${findings.length} ${findings.length === 1 ? "difference" : "differences"}`
  ].map((line) => process.stdout.isTTY ? wrapped(line, widthOf(process.stdout), 2) : line).join("\n")

const look = Effect.fnUntraced(function*(from: string | undefined) {
  const since = from === undefined ? undefined : parseSince(from, yield* Clock.currentTimeMillis)
  if (from !== undefined && since === undefined) {
    return yield* wrongUsage(
      "--since is a time that has passed (2026-11-20, 2026-11-20T06:30:00Z), or how long ago it was (90m, 24h, 7d)"
    )
  }
  const configuration = yield* compareConfiguration
  // Printed before the store is read: that may fail for a reason that the table shows.
  if (!(yield* Json)) yield* Console.log(`${tableOf(configuration)}\n`)
  const report = yield* diagnose(since)
  const differs = report.findings.length > 0 || report.refused.length > 0 ||
    configuration.some(({ verdict }) => verdict === "differs")
  yield* answer({ agrees: !differs, ...report, configuration }, human(report))
  const [reason, message] = configuration.some(({ verdict }) => verdict === "unread")
    ? ["unread", "a chain could not be read"]
    : ["differs", "something differs"]
  if (differs || reason === "unread") return yield* new ProgramFailed({ reason, message, told: true })
})

/** The comparison, with the service's environment. Fails with `differs` or `unread` when not all agrees. */
export const doctor = (since: string | undefined) => operation(look(since))
