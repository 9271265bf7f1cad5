/**
 * `GET /metrics` in Prometheus's text format, with a description of each metric. Effect's own metrics have none and get
 * ours.
 */
import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import type { MetricsAddress } from "../configuration/MetricsAddress.ts"
import { layerShutdown } from "../http/Shutdown.ts"
import { withJsonErrors } from "../http/JsonErrors.ts"
import { listenOn } from "../http/Listening.ts"
import { engineMetrics } from "./EngineMetrics.ts"
import { processMetricsPage } from "./ProcessMetrics.ts"

const PREFIX = "causeway"

const meanings = new Map(engineMetrics.map(({ meaning, name }) => [`${PREFIX}_effect_cluster_${name}`, meaning]))

/** Adds a description to metrics without one. */
export const withMeanings = (page: string): string => {
  const lines = page.split("\n")
  return lines.flatMap((line, index) => {
    const [, name] = /^# TYPE (\S+) /.exec(line) ?? []
    const meaning = name === undefined || (lines[index - 1] ?? "").startsWith(`# HELP ${name} `)
      ? undefined
      : meanings.get(name)
    return meaning === undefined ? [line] : [`# HELP ${name} ${meaning}`, line]
  }).join("\n")
}

/** The route, for either server. */
export const layerRoute = HttpRouter.add(
  "GET",
  "/metrics",
  Effect.map(
    PrometheusMetrics.format({ prefix: PREFIX }),
    (page) =>
      HttpServerResponse.text(`${withMeanings(page).trimEnd()}\n${processMetricsPage()}`, {
        contentType: "text/plain; version=0.0.4; charset=utf-8"
      })
  )
)

type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** A separate server for it. `guard` is applied in front. */
export const layerServer = (
  { host, port }: MetricsAddress,
  routes = layerRoute,
  guard: (app: App) => App = (app) => app
) =>
  Layer.unwrap(Effect.map(HttpRouter.toHttpEffect(routes), (app) => HttpServer.serve(guard(withJsonErrors(app))))).pipe(
    listenOn({ port, host, endingDelay: 0 }),
    Layer.provide(layerShutdown)
  )
