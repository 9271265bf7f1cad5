/**
 * The rules in configs/alerts: one for each alarm in the operators' pages, and each fires when its alarm is counted for
 * the first time.
 */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { requirePromtool } from "../testing/Capability.ts"
import { alertOf, rowsOf, rulesFile } from "./Rules.ts"
import type { Service } from "./Rules.ts"

const folder = join(import.meta.dirname, "../../configs/alerts")
const fileOf = (service: Service) => join(folder, `${service}.yml`)
const namesIn = (service: Service) =>
  [...readFileSync(fileOf(service), "utf8").matchAll(/^ +- alert: (\w+)$/gmu)].map(([, name = ""]) => name).toSorted()

const alarms = [...rowsOf("operating-the-transfer-service.md", "alarm").keys()]

/** Nothing for five minutes, then one. */
const FIRST = "0x5 1x40"

interface Case {
  readonly series: string
  readonly values: string
  readonly alert: string
  /** The series' labels that the alert has; all of them by default. */
  readonly labels: Readonly<Record<string, string>>
}

const instance = { instance: "one:3001", job: "causeway" }
const seriesOf = (name: string, labels: Readonly<Record<string, string>>) =>
  `${name}{${Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(",")}}`
const firing = (alert: string, name: string, own: Readonly<Record<string, string>>, values: string): Case => {
  const labels = { ...instance, ...own }
  return { alert, series: seriesOf(name, labels), values, labels }
}

const cases: Readonly<Record<Service, ReadonlyArray<Case>>> = {
  transfer: [
    ...alarms.map((what) => firing(alertOf(what), "causeway_alarms_total", { what }, FIRST)),
    firing("CausewayStepDefect", "causeway_step_defects_total", { step: "fill.pay" }, FIRST),
    firing("CausewayRequestsOverdue", "causeway_overdue_requests", { status: "pending" }, FIRST),
    firing(
      "CausewayHoldingLow",
      "causeway_inventory_low",
      { chain: "alpha", currency: "ETH", holding: "account" },
      FIRST
    ),
    firing("CausewayScanStandsStill", "causeway_chain_scanned_height", { chain: "alpha" }, "7x60"),
    firing("CausewayEndpointDisagrees", "causeway_endpoint_dissents_total", { chain: "alpha", host: "a" }, FIRST)
  ],
  oracle: [
    firing("CausewayEndpointDissent", "causeway_endpoint_dissents_total", { chain: "alpha", host: "a" }, FIRST),
    firing("CausewaySignerFault", "causeway_signer_faults_total", { fault: "refused" }, FIRST),
    ...["disagrees", "wrong-signer", "several-signers", "wrong-domain"].map((outcome) =>
      firing("CausewayPeerContradicts", "causeway_peer_answers_total", { peer: "a", shadow: "false", outcome }, FIRST)
    ),
    firing("CausewayAttestationsFail", "causeway_http_requests_total", {
      route: "/attestations/solver-fills/v1",
      method: "POST",
      status: "5xx"
    }, "0+1x60"),
    firing("CausewayConfigurationContradicted", "causeway_configuration_contradicted", { chain: "alpha" }, FIRST),
    firing("CausewayOracleNotReady", "causeway_ready", {}, "0x60")
  ]
}

/** Series for which no alert may fire. */
const quiet: Readonly<Record<Service, ReadonlyArray<readonly [series: string, values: string]>>> = {
  transfer: [
    [seriesOf("causeway_chain_scanned_height", { ...instance, chain: "beta" }), "0+5x60"],
    [seriesOf("causeway_overdue_requests", { ...instance, status: "waiting" }), "0x60"],
    [seriesOf("causeway_step_defects_total", { ...instance, step: "close" }), "3x60"]
  ],
  oracle: [
    [seriesOf("causeway_signer_faults_total", { ...instance, fault: "unreachable" }), "0+3x60"],
    [seriesOf("causeway_peer_answers_total", { ...instance, peer: "a", shadow: "false", outcome: "agrees" }), "0+9x60"],
    [
      seriesOf("causeway_http_requests_total", { ...instance, route: "/chains/v1", method: "GET", status: "5xx" }),
      "0+1x60"
    ],
    [seriesOf("causeway_ready", { ...instance, instance: "two:3000" }), "1x60"]
  ]
}

/** Checks every alert of a service: those of the cases fire, and no others. */
const testFile = (service: Service): string => {
  const text = readFileSync(fileOf(service), "utf8")
  const description = (alert: string): unknown =>
    JSON.parse(new RegExp(`- alert: ${alert}\\n(?: {8}.*\\n)*? +description: (".*")`, "u").exec(text)?.[1] ?? "null")
  const expected = (alert: string) =>
    cases[service].filter((each) => each.alert === alert).map(({ labels }) => ({
      exp_labels: { ...labels, severity: "page" },
      exp_annotations: { summary: `${alert} at ${labels["instance"]}`, description: description(alert) }
    }))
  const input = [
    ...cases[service].map(({ series, values }) => ({ series, values })),
    ...quiet[service].map(([series, values]) => ({ series, values }))
  ]
  const at = (time: string, some: boolean) =>
    namesIn(service).map((alert) => ({ eval_time: time, alertname: alert, exp_alerts: some ? expected(alert) : [] }))
  // Before anything has happened, and once everything has.
  return JSON.stringify({
    rule_files: [fileOf(service)],
    evaluation_interval: "30s",
    tests: [{ interval: "1m", input_series: input, alert_rule_test: [...at("1m", false), ...at("12m", true)] }]
  })
}

const promtool = requirePromtool()

describe("alert rules", () => {
  for (const service of ["transfer", "oracle"] as const) {
    it(`configs/alerts/${service}.yml agrees with the pages and the code (npm run docs)`, () => {
      assert.strictEqual(readFileSync(fileOf(service), "utf8"), rulesFile(service))
      assert.notInclude(rulesFile(service), "description: \"\"")
    })

    it.skipIf(promtool === undefined)(
      `of the ${service} are valid, and each fires at its first event, and only then`,
      () => {
        const made = mkdtempSync(join(tmpdir(), "causeway-alerts-"))
        const file = join(made, "tests.yml")
        writeFileSync(file, testFile(service))
        const run = (...args: ReadonlyArray<string>) =>
          execFileSync(promtool ?? "", args, { encoding: "utf8", stdio: "pipe" })
        assert.match(
          run("check", "rules", fileOf(service)),
          new RegExp(`SUCCESS: ${namesIn(service).length} rules found`, "u")
        )
        assert.match(run("test", "rules", file), /SUCCESS/u)
        rmSync(made, { recursive: true })
      }
    )
  }

  it("are one for each alarm and each alert of the operators' pages, and no others", () => {
    assert.isAbove(alarms.length, 30)
    assert.deepStrictEqual(
      namesIn("transfer"),
      [...alarms.map(alertOf), ...rowsOf("operating-the-transfer-service.md", "alert").keys()].toSorted()
    )
    assert.deepStrictEqual(namesIn("oracle"), [...rowsOf("operating-the-oracle.md", "alert").keys()].toSorted())
  })

  it("are each tested above", () => {
    for (const service of ["transfer", "oracle"] as const) {
      assert.deepStrictEqual([...new Set(cases[service].map(({ alert }) => alert))].toSorted(), namesIn(service))
    }
  })
})
