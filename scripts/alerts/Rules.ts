/**
 * Prometheus alert rules of both services: one for each alarm that the transfer service counts, and those for the
 * metrics that an operator watches. What to do is taken from the operators' pages, so that it is written once.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { alarms } from "../../src/services/operations/Alarms.ts"

const docs = join(import.meta.dirname, "../../docs")

export interface Rule {
  readonly name: string
  readonly expression: string
  /** How long the condition must hold. */
  readonly during?: string
  /** From a page: the meaning, and what to do. */
  readonly description: string
}

/** The rows of one kind in an operators' page's table, by name. */
export const rowsOf = (page: string, kind: string): ReadonlyMap<string, string> => {
  const text = readFileSync(join(docs, page), "utf8")
  return new Map(
    [...text.matchAll(new RegExp(`^\\| ${kind} \\| \`([^\`]+)\` \\| (.+) \\|$`, "gmu"))].map((
      [, name = "", meaning = ""]
    ) => [name, meaning])
  )
}

/** The rule's name for an alarm: `filling-died` gives `CausewayAlarmFillingDied`. */
export const alertOf = (alarm: string): string =>
  `CausewayAlarm${alarm.split("-").map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("")}`

/** Removes links and code marks, because rules are read in pagers. */
const plain = (markdown: string): string =>
  markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/gu, "$1").replaceAll(/[`*]/gu, "").replaceAll("\\|", "|")

const RECENT = "15m"
const rises = (series: string): string => `increase(${series}[${RECENT}]) > 0`

interface Watched {
  readonly expression: string
  readonly during?: string
}

const watchedOfTransfer: Readonly<Record<string, Watched>> = {
  CausewayStepDefect: { expression: rises("causeway_step_defects_total") },
  CausewayRequestsOverdue: { expression: "causeway_overdue_requests > 0" },
  CausewayHoldingLow: { expression: "causeway_inventory_low > 0" },
  // A series younger than ten minutes cannot have been unchanged for that long.
  CausewayScanStandsStill: {
    expression: "changes(causeway_chain_scanned_height[10m]) == 0 and causeway_chain_scanned_height offset 10m"
  },
  CausewayEndpointDisagrees: { expression: rises("causeway_endpoint_dissents_total") }
}

const watchedOfOracle: Readonly<Record<string, Watched>> = {
  CausewayEndpointDissent: { expression: rises("causeway_endpoint_dissents_total") },
  CausewaySignerFault: { expression: rises("causeway_signer_faults_total{fault!=\"unreachable\"}") },
  CausewayPeerContradicts: {
    expression: rises("causeway_peer_answers_total{outcome=~\"disagrees|wrong-signer|several-signers|wrong-domain\"}")
  },
  CausewayAttestationsFail: {
    expression:
      "sum without (caller) (increase(causeway_http_requests_total{route=~\"/attestations/.+\",status=\"5xx\"}[2m])) > 0",
    during: "5m"
  },
  CausewayConfigurationContradicted: { expression: "causeway_configuration_contradicted > 0" },
  CausewayOracleNotReady: { expression: "causeway_ready == 0", during: "5m" }
}

const watched = (page: string, all: Readonly<Record<string, Watched>>): ReadonlyArray<Rule> => {
  const rows = rowsOf(page, "alert")
  return Object.entries(all).map(([name, rule]) => ({ name, ...rule, description: plain(rows.get(name) ?? "") }))
}

const OF_TRANSFER = "operating-the-transfer-service.md"
const OF_ORACLE = "operating-the-oracle.md"

/** The alert rules of each service. */
export const rules = {
  transfer: (): ReadonlyArray<Rule> => {
    const rows = rowsOf(OF_TRANSFER, "alarm")
    return [
      ...alarms.map((what) => ({
        name: alertOf(what),
        expression: rises(`causeway_alarms_total{what="${what}"}`),
        description: plain(rows.get(what) ?? "")
      })),
      ...watched(OF_TRANSFER, watchedOfTransfer)
    ]
  },
  oracle: (): ReadonlyArray<Rule> => watched(OF_ORACLE, watchedOfOracle)
} as const

export type Service = keyof typeof rules

const shown = ({ description, during, expression, name }: Rule): string =>
  [
    `      - alert: ${name}`,
    `        expr: ${JSON.stringify(expression)}`,
    ...(during === undefined ? [] : [`        for: ${during}`]),
    "        labels:",
    "          severity: page",
    "        annotations:",
    `          summary: ${JSON.stringify(`${name} at {{ $labels.instance }}`)}`,
    `          description: ${JSON.stringify(description)}`
  ].join("\n")

/** The rules file of a service, as YAML. Strings are written as JSON, which YAML accepts. */
export const rulesFile = (service: Service): string =>
  [
    `# Alert rules of the ${
      service === "transfer" ? "transfer service" : "oracle"
    } for Prometheus. Written by npm run docs; what to do is in docs/${
      service === "transfer" ? OF_TRANSFER : OF_ORACLE
    }.`,
    "groups:",
    `  - name: causeway-${service}`,
    "    rules:",
    ...rules[service]().map(shown),
    ""
  ].join("\n")
