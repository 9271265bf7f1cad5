/**
 * Telemetry of every HTTP request, outside of all other handling: its id, which is answered and on each of its log
 * lines; one access line; its metrics.
 *
 * SECURITY: logs no path, query or header, because any of them may hold a key. Only the route's pattern is logged.
 */
import { Context, Effect, Exit, References } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { countRequest } from "./HttpMeters.ts"
import { pathOf } from "./PathOf.ts"
import { requestIdOf } from "./RequestId.ts"
import { RequestNotes } from "./RequestNotes.ts"
import type { RouteOf } from "./Routes.ts"

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** The name of a request in logs, metrics and traces: `POST /quote`. */
export const requestName = (routeOf: RouteOf) => (request: HttpServerRequest.HttpServerRequest) => ({
  method: methods.has(request.method) ? request.method : "other",
  route: routeOf(pathOf(request))?.pattern ?? "unknown"
})

export interface Observation {
  readonly routeOf: RouteOf
  /** The share of requests that get an access line, 0 to 1. Our failures always get one. */
  readonly accessRatio: number
}

/** Of one request, before it is answered. */
export interface ObservedRequest {
  readonly method: string
  readonly route: string
  /** Its `x-request-id`. */
  readonly inboundId: string | undefined
}

/** What is asked for an answer's own headers when it exists. */
type HeadersOf = () => Readonly<Record<string, string>>

/**
 * Begins to observe a request, and then observes its answer. `accessRatio` as in `Observation`. `others`: headers that
 * the answer gets besides its id, at once, because each addition copies all of them.
 */
export const observedBy =
  (accessRatio: number) => ({ inboundId, method, route }: ObservedRequest, others?: HeadersOf) => {
    const started = performance.now()
    const httpRequestId = requestIdOf(inboundId)
    const notes = new Map<string, string>()

    const tell = <E>(exit: Exit.Exit<HttpServerResponse.HttpServerResponse, E>) => {
      const status = Exit.isSuccess(exit) ? exit.value.status : undefined
      const ms = performance.now() - started
      const counted = countRequest({ method, route, status, seconds: ms / 1_000, caller: notes.get("caller") })
      const failed = status !== undefined && status >= 500
      if (!failed && Math.random() >= accessRatio) return counted
      const line = {
        method,
        route,
        status: status ?? "aborted",
        ms: Math.round(ms * 100) / 100,
        ...Object.fromEntries(notes)
      }
      return Effect.andThen(
        counted,
        Effect.annotateLogs(failed ? Effect.logWarning("request") : Effect.logInfo("request"), line)
      )
    }

    const dressed = (answer: HttpServerResponse.HttpServerResponse) =>
      others === undefined
        ? HttpServerResponse.setHeader(answer, "x-request-id", httpRequestId)
        : HttpServerResponse.setHeaders(answer, { "x-request-id": httpRequestId, ...others() })

    /** Notes and the id on every log line, in one step. */
    const observing = <R>(context: Context.Context<R>): Context.Context<R> =>
      Context.add(
        Context.add(context, RequestNotes, notes),
        References.CurrentLogAnnotations,
        { ...Context.get(context, References.CurrentLogAnnotations), httpRequestId }
      )

    return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      app.pipe(
        Effect.map(dressed),
        Effect.onExit(tell),
        Effect.updateContext((context: Context.Context<R>) => observing<R>(context))
      )
  }

export const withObservation = ({ accessRatio, routeOf }: Observation) => {
  const nameOf = requestName(routeOf)
  const observed = observedBy(accessRatio)
  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) => observed({ ...nameOf(request), inboundId: request.headers["x-request-id"] })(app)
    )
}
