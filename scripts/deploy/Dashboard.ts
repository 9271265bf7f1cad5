/** deploy/grafana/dashboards/causeway.json: Grafana's dashboard of both services. Queries use metrics of docs/observability.md. */

export interface Panel {
  readonly title: string
  readonly unit: "short" | "s" | "reqps" | "currencyUSD" | "bytes" | "percentunit"
  readonly queries: ReadonlyArray<{ readonly expr: string; readonly legend: string }>
}

interface Section {
  readonly title: string
  readonly panels: ReadonlyArray<Panel>
}

const RANGE = "[$__rate_interval]"
const single = (title: string, unit: Panel["unit"], expr: string, legend: string): Panel => ({
  title,
  unit,
  queries: [{ expr, legend }]
})

const quantile = (share: number, metric: string, by: string) =>
  `histogram_quantile(${share}, sum by (le, ${by}) (rate(${metric}_bucket${RANGE})))`

/** Gauges of what all workers share are the same on each: their maximum. */
export const sections: ReadonlyArray<Section> = [
  {
    title: "What needs a person",
    panels: [
      single("Alarms in the last hour", "short", "sum by (what) (increase(causeway_alarms_total[1h])) > 0", "{{what}}"),
      single("Steps that wait for a person", "short", "sum by (step) (causeway_step_defects_total) > 0", "{{step}}"),
      single("Overdue requests", "short", "max by (status) (causeway_overdue_requests)", "{{status}}"),
      single("Halted chains", "short", "max by (chain) (causeway_chain_halted)", "{{chain}}"),
      single(
        "Holdings below their mark",
        "short",
        "max by (chain, currency, holding) (causeway_inventory_low) > 0",
        "{{chain}} {{currency}} {{holding}}"
      ),
      single("Processes", "short", "sum by (job, process) (up)", "{{job}} {{process}}")
    ]
  },
  {
    title: "Transfers",
    panels: [
      single("Requests with a deposit", "short", "max by (status) (causeway_transfers)", "{{status}}"),
      single(
        "Deposits by outcome, a minute",
        "short",
        `sum by (outcome) (rate(causeway_deposits_total${RANGE})) * 60`,
        "{{outcome}}"
      ),
      single(
        "Quotes by outcome, a second",
        "reqps",
        `sum by (outcome) (rate(causeway_quotes_total${RANGE}))`,
        "{{outcome}}"
      ),
      single("Work that has begun", "short", "max(causeway_workflow_backlog)", "fillings"),
      single(
        "Inventory",
        "short",
        "max by (chain, currency, holding) (causeway_inventory)",
        "{{chain}} {{currency}} {{holding}}"
      ),
      single(
        "Webhooks, a minute",
        "short",
        `sum by (outcome) (rate(causeway_webhooks_total${RANGE})) * 60`,
        "{{outcome}}"
      )
    ]
  },
  {
    title: "Chains",
    panels: [
      single("Age of the newest block", "s", "max by (chain) (causeway_chain_head_age_seconds)", "{{chain}}"),
      single("Blocks that are not scanned", "short", "max by (chain) (causeway_chain_lag_blocks)", "{{chain}}"),
      single(
        "Endpoints that contradict their quorum, in an hour",
        "short",
        "sum by (chain, host) (increase(causeway_endpoint_dissents_total[1h])) > 0",
        "{{chain}} {{host}}"
      ),
      single(
        "Endpoints that fail, a minute",
        "short",
        `sum by (chain, host, fault) (rate(causeway_endpoint_faults_total${RANGE})) * 60`,
        "{{chain}} {{host}} {{fault}}"
      )
    ]
  },
  {
    title: "Settlement",
    panels: [
      single("Not settled", "short", "max by (state) (causeway_settlements)", "{{state}}"),
      single("Age of the oldest", "s", "max by (state) (causeway_settlement_age_seconds)", "{{state}}"),
      {
        title: "Losses, US dollars in a day",
        unit: "currencyUSD",
        queries: [
          {
            expr: "sum by (chain) (increase(causeway_unattested_refunds_usd_total[1d]))",
            legend: "unattested refunds {{chain}}"
          },
          {
            expr: "sum by (chain) (increase(causeway_reverted_calls_usd_total[1d]))",
            legend: "reverted calls {{chain}}"
          },
          {
            expr: "sum by (chain) (increase(causeway_reverted_permits_usd_total[1d]))",
            legend: "reverted permits {{chain}}"
          }
        ]
      },
      single(
        "Answers of oracles, a minute",
        "short",
        `sum by (oracle, outcome) (rate(causeway_oracle_answers_total${RANGE})) * 60`,
        "{{oracle}} {{outcome}}"
      )
    ]
  },
  {
    title: "HTTP and processes",
    panels: [
      single(
        "Requests, a second",
        "reqps",
        `sum by (job, route, status) (rate(causeway_http_requests_total${RANGE}))`,
        "{{job}} {{route}} {{status}}"
      ),
      single(
        "Time to the answer, 99 of 100",
        "s",
        quantile(0.99, "causeway_http_request_duration_seconds", "job, route"),
        "{{job}} {{route}}"
      ),
      single(
        "Processor",
        "percentunit",
        `rate(process_cpu_seconds_total{job=~"causeway-.*"}${RANGE})`,
        "{{job}} {{process}}"
      ),
      single("Memory", "bytes", "process_resident_memory_bytes{job=~\"causeway-.*\"}", "{{job}} {{process}}"),
      single(
        "Versions",
        "short",
        "count by (job, version, node) (causeway_build_info)",
        "{{job}} {{version}} on Node {{node}}"
      )
    ]
  }
]

const WIDTH = 8
const HEIGHT = 8
const COLUMNS = 24 / WIDTH

const source = { type: "prometheus", uid: "causeway-prometheus" } as const

const panelAt = ({ queries, title, unit }: Panel, id: number, x: number, y: number) => ({
  id,
  type: "timeseries",
  title,
  datasource: source,
  gridPos: { x, y, w: WIDTH, h: HEIGHT },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
  targets: queries.map(({ expr, legend }, index) => ({
    refId: String.fromCodePoint(65 + index),
    datasource: source,
    expr,
    legendFormat: legend
  }))
})

const placed = () => {
  let [id, y] = [0, 0]
  return sections.flatMap(({ panels, title }) => {
    const row = { id: ++id, type: "row", title, collapsed: false, gridPos: { x: 0, y: y++, w: 24, h: 1 }, panels: [] }
    const top = y
    y += Math.ceil(panels.length / COLUMNS) * HEIGHT
    return [
      row,
      ...panels.map((panel, index) =>
        panelAt(panel, ++id, (index % COLUMNS) * WIDTH, top + Math.floor(index / COLUMNS) * HEIGHT)
      )
    ]
  })
}

/** The file. */
export const dashboard = (): string =>
  `${
    JSON.stringify(
      {
        uid: "causeway",
        title: "Causeway",
        tags: ["causeway"],
        editable: false,
        schemaVersion: 41,
        time: { from: "now-6h", to: "now" },
        refresh: "30s",
        panels: placed()
      },
      undefined,
      2
    )
  }\n`
