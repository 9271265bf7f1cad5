/**
 * What Prometheus's own client libraries show of a process, under their names, so that dashboards for any process work
 * with ours; and which build it is.
 */
import { readdirSync } from "node:fs"
import { version } from "./Version.ts"

export interface ProcessMetric {
  readonly name: string
  readonly kind: "counter" | "gauge"
  readonly labels: Readonly<Record<string, string>>
  /** Meaning and unit. */
  readonly meaning: string
  /** Undefined where the system does not tell it. */
  readonly read: () => number | undefined
}

/** Linux alone has it. */
const openFiles = (): number | undefined => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return undefined
  }
}

const processorSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (user + system) / 1_000_000
}

const started = (Date.now() - process.uptime() * 1_000) / 1_000

export const processMetrics: ReadonlyArray<ProcessMetric> = [
  {
    name: "causeway_build_info",
    kind: "gauge",
    labels: { version, node: process.versions.node },
    meaning: "1, with the version of this program and that of Node",
    read: () => 1
  },
  {
    name: "process_cpu_seconds_total",
    kind: "counter",
    labels: {},
    meaning: "seconds of processor time of the process, user and system",
    read: processorSeconds
  },
  {
    name: "process_open_fds",
    kind: "gauge",
    labels: {},
    meaning: "file descriptors that the process has open, on Linux",
    read: openFiles
  },
  {
    name: "process_resident_memory_bytes",
    kind: "gauge",
    labels: {},
    meaning: "bytes of memory that the process has resident",
    read: () => process.memoryUsage.rss()
  },
  {
    name: "process_start_time_seconds",
    kind: "gauge",
    labels: {},
    meaning: "when the process started, in Unix seconds",
    read: () => started
  }
]

const labelled = (labels: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

/** In Prometheus's text format. */
export const processMetricsPage = (): string =>
  processMetrics.flatMap(({ kind, labels, meaning, name, read }) => {
    const value = read()
    return value === undefined
      ? []
      : [`# HELP ${name} ${meaning}`, `# TYPE ${name} ${kind}`, `${name}${labelled(labels)} ${value}`]
  }).map((line) => `${line}\n`).join("")
