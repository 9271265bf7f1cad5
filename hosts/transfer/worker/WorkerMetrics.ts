/** GET /metrics and GET /lives of a worker that is a process of its own: what it counts is counted nowhere else. */
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
