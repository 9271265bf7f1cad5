/** The generated files of deploy/, by path. */
import { dashboard } from "./Dashboard.ts"
import { environmentFiles } from "./EnvironmentFiles.ts"

export const deployedFiles: ReadonlyMap<string, () => string> = new Map([
  ["deploy/grafana/dashboards/causeway.json", dashboard],
  ...[...environmentFiles].map(([name, file]) => [`deploy/env/${name}`, file] as const)
])
