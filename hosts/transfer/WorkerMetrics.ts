/** GET /metrics and GET /lives of a worker that is a process of its own: what it counts is counted nowhere else. */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { withJsonErrors } from "../http/JsonErrors.ts"
import { listenOn } from "../http/Listening.ts"

interface WorkerMetricsSettings {
  readonly host: string
  /** Undefined when nothing is served. */
  readonly workerMetricsPort: number | undefined
}

export const layer = ({ host, workerMetricsPort: port }: WorkerMetricsSettings) => {
  if (port === undefined) return Layer.empty
  const routes = Layer.mergeAll(
    PrometheusMetrics.layerHttp({ path: "/metrics", prefix: "causeway" }),
    HttpRouter.add("GET", "/lives", HttpServerResponse.jsonUnsafe({ status: "ok" }))
  )
  return Layer.unwrap(Effect.map(HttpRouter.toHttpEffect(routes), (app) => HttpServer.serve(withJsonErrors(app)))).pipe(
    listenOn({ port, host, endingDelay: 0 })
  )
}
