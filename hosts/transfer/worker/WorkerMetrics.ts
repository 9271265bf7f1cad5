/** GET /metrics and GET /lives of a separate worker process: its metrics are available nowhere else. */
import { Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as MetricsPage from "../../observability/MetricsPage.ts"

interface WorkerMetricsSettings {
  readonly host: string
  /** Undefined when nothing is served. */
  readonly workerMetricsPort: number | undefined
}

export const layer = ({ host, workerMetricsPort: port }: WorkerMetricsSettings) => {
  if (port === undefined) return Layer.empty
  return MetricsPage.layerServer(
    { host, port },
    Layer.merge(
      MetricsPage.layerRoute,
      HttpRouter.add("GET", "/lives", HttpServerResponse.jsonUnsafe({ status: "ok" }))
    )
  )
}
