/**
 * Traces by OTLP over HTTP, for a whole host. Without a collector the tracer is off, and spans cost nothing.
 *
 * A collector that does not answer delays no request: batches are sent in the background, and those that it does not
 * accept are dropped and counted. SECURITY: its failures are logged without its URL.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Metric, References, Tracer } from "effect"
import { HttpClient, HttpClientError, HttpMiddleware } from "effect/http"
import type { HttpClientResponse, HttpServerRequest } from "effect/http"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
import { targetOf } from "./ObservabilityVariables.ts"
import type { TraceSettings } from "./ObservabilityVariables.ts"
import { safeSpans } from "./SafeSpans.ts"
import { sampled } from "./Sampling.ts"

const lost = Metric.counter("trace_export_failures_total", {
  description: "batches that the trace collector did not accept, by kind",
  incremental: true
})

/** A collector that hangs must not make batches pile up in memory. */
const withDeadline = HttpClient.transform((
  answer: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>,
  request
) =>
  Effect.timeoutOrElse(answer, {
    duration: "5 seconds",
    orElse: () =>
      Effect.fail(new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) }))
  })
)

/** Logs once that the collector fails, and once that it works again. */
const tellingFailures = (client: HttpClient.HttpClient): HttpClient.HttpClient => {
  let failing = false
  const failed = (kind: string) =>
    Effect.suspend(() => {
      const first = !failing
      failing = true
      return Effect.andThen(
        Metric.update(Metric.withAttributes(lost, { kind }), 1),
        first ? Effect.logWarning(`traces cannot be sent to the collector (${kind})`) : Effect.void
      )
    })
  const answered = Effect.suspend(() => {
    const back = failing
    failing = false
    return back ? Effect.logInfo("traces reach the collector again") : Effect.void
  })
  return client.pipe(
    withDeadline,
    HttpClient.tap(({ status }) => status < 300 ? answered : failed(`${status}`)),
    HttpClient.tapError(() => failed("unreachable"))
  )
}

const collected = (
  { traceHeaders, traceRatio, traceServiceName }: TraceSettings,
  endpoint: NonNullable<TraceSettings["traceEndpoint"]>
) =>
  Layer.effect(
    Tracer.Tracer,
    OtlpTracer.make({
      ...targetOf(endpoint, traceHeaders),
      resource: { serviceName: traceServiceName },
      exportInterval: "1 second"
    }).pipe(
      Effect.map((tracer) => sampled(traceRatio)(safeSpans(tracer))),
      Effect.updateService(HttpClient.HttpClient, tellingFailures)
    )
  ).pipe(Layer.provide([OtlpExporter.layerFlusher, OtlpSerialization.layerJson, NodeHttpClient.layerUndici]))

type NameOf = (request: HttpServerRequest.HttpServerRequest) => { readonly method: string; readonly route: string }

/** Spans of requests are named by method and route pattern. */
export const layer = (settings: TraceSettings, nameOf: NameOf) => {
  if (settings.traceEndpoint === undefined) return Layer.succeed(References.TracerEnabled, false)
  const named = Layer.succeed(HttpMiddleware.SpanNameGenerator, (request: HttpServerRequest.HttpServerRequest) => {
    const { method, route } = nameOf(request)
    return `${method} ${route}`
  })
  return Layer.merge(collected(settings, settings.traceEndpoint), named)
}
