/**
 * The metrics that the code declares, read from the sources. Every declared metric appears in docs/observability.md,
 * with its labels and the same text that /metrics shows as HELP. Those of effect's workflow engine are in
 * EngineMetrics.ts.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Engine from "../../hosts/observability/EngineMetrics.ts"
import * as Process from "../../hosts/observability/ProcessMetrics.ts"

const root = join(import.meta.dirname, "../..")

export interface DeclaredMetric {
  /** The name that /metrics shows. */
  readonly name: string
  readonly kind: string
  readonly labels: ReadonlyArray<string>
  /** Meaning and unit. */
  readonly meaning: string
}

const declaration = /const (\w+) = Metric\.(counter|gauge|histogram)\(\s*"(\w+)",\s*\{\s*description:\s*"([^"]*)"/gu

/** Matches every way to declare a metric, to find declarations that the pattern above does not match. */
const anyDeclaration = /Metric\.(?:counter|gauge|histogram|summary|summaryWithTimestamp|frequency|timer)\(/gu

const labelsOf = (source: string, variable: string): ReadonlyArray<string> => {
  const [, text = ""] = new RegExp(`withAttributes\\(${variable}, \\{([^}]*)\\}`, "u").exec(source) ?? []
  return text.split(",").map((pair) => (pair.split(":")[0] ?? "").trim()).filter((name) => name !== "")
}

/** The metrics that one source declares. */
export const declaredIn = (source: string): ReadonlyArray<DeclaredMetric> =>
  [...source.matchAll(declaration)].map(([, variable = "", kind = "", name = "", meaning = ""]) => ({
    name: `causeway_${name}`,
    kind,
    labels: labelsOf(source, variable),
    meaning
  }))

const sources = (): ReadonlyArray<readonly [path: string, text: string]> =>
  globSync("{src,adapters,hosts}/**/*.ts", { cwd: root })
    .filter((path) => !path.includes(".test.") && !path.includes("/testing/"))
    .toSorted()
    .map((path) => [path, readFileSync(join(root, path), "utf8")] as const)

/** All declared metrics. Throws, naming the file, when a metric is declared in a way that cannot be read. */
export const declaredMetrics = (): ReadonlyArray<DeclaredMetric> =>
  sources().flatMap(([path, text]) => {
    const found = declaredIn(text)
    if (found.length !== [...text.matchAll(anyDeclaration)].length) {
      throw new Error(`${path}: declare metrics as const name = Metric.kind("name", { description: "…"`)
    }
    return found
  }).toSorted((one, other) => one.name < other.name ? -1 : 1)

/** The metrics of effect's own workflow engine, on workers. */
export const engineMetrics: ReadonlyArray<DeclaredMetric> = Engine.engineMetrics.map(({ name, ...metric }) => ({
  name: `causeway_effect_cluster_${name}`,
  ...metric
}))

/** Those of every process, whatever it serves. */
export const processMetrics: ReadonlyArray<DeclaredMetric> = Process.processMetrics.map((
  { kind, labels, meaning, name }
) => ({ name, kind, labels: Object.keys(labels), meaning }))
