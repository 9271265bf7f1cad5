/**
 * Metrics of HTTP requests. Labels are patterns of declared routes, known methods, classes of status and labels of
 * configured API keys. Strangers choose none of them, so the number of series is bounded by routes and keys.
 */
import { Effect, Metric } from "effect"
import type { Route } from "./Routes.ts"

const requests = Metric.counter("http_requests_total", {
  description:
    "HTTP requests, by route pattern, method and class of the status; aborted when the client left before the answer; of the oracle also by the label of the caller's API key",
  incremental: true
})
const durations = Metric.histogram("http_request_duration_seconds", {
  description: "seconds from a request to its answer, of a stream to its beginning, by route pattern and method",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

interface Series {
  readonly requests: Metric.Metric<number, Metric.CounterState<number>>
  readonly durations: Metric.Metric<number, Metric.HistogramState>
}

const known = new Map<string, Series>()

/** Made once for each combination: merging attributes costs more than counting. */
const seriesOf = (route: string, method: string, status: string, caller: string | undefined): Series => {
  const key = `${status} ${method} ${route} ${caller ?? ""}`
  const series = known.get(key) ?? {
    requests: caller !== undefined
      ? Metric.withAttributes(requests, { route, method, status, caller })
      : Metric.withAttributes(requests, { route, method, status }),
    durations: Metric.withAttributes(durations, { route, method })
  }
  known.set(key, series)
  return series
}

/** Starts the series of our failures at 0 for everyone who may ask, so that a first failure shows as an increase. */
export const countFailuresFromZero = (
  routes: ReadonlyArray<Route>,
  callers: ReadonlyArray<string>
): Effect.Effect<void> => {
  const all = routes.flatMap(({ methods, pattern }) =>
    [...methods].flatMap((method) => [undefined, ...callers].map((caller) => seriesOf(pattern, method, "5xx", caller)))
  )
  return Effect.forEach(all, (series) => Metric.update(series.requests, 0), { discard: true })
}

export interface AnsweredRequest {
  /** A declared pattern, or `unknown`. */
  readonly route: string
  readonly method: string
  /** Undefined when the client left before the answer. */
  readonly status: number | undefined
  readonly seconds: number
  /** The label of the caller's API key. Undefined without one. */
  readonly caller: string | undefined
}

export const countRequest = ({ caller, method, route, seconds, status }: AnsweredRequest): Effect.Effect<void> => {
  const series = seriesOf(route, method, status === undefined ? "aborted" : `${Math.floor(status / 100)}xx`, caller)
  return Effect.contextWith((context) => {
    series.requests.updateUnsafe(1, context)
    series.durations.updateUnsafe(seconds, context)
    return Effect.void
  })
}
