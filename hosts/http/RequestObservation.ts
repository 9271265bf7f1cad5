/**
 * What is told of every HTTP request, outside of everything else that handles it: its id, answered and on each of its
 * log lines; one access line; its place in the metrics.
 *
 * SECURITY: neither path nor query nor a header is told, because any of them may hold a key: only the route's pattern.
 */
import { Effect, Exit } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { countRequest } from "./HttpMeters.ts"
import { pathOf } from "./PathOf.ts"
import { requestIdOf } from "./RequestId.ts"
import { RequestNotes } from "./RequestNotes.ts"
import type { RouteOf } from "./Routes.ts"

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** How a request is called wherever it is told of: `POST /quote`. */
export const requestName = (routeOf: RouteOf) => (request: HttpServerRequest.HttpServerRequest) => ({
  method: methods.has(request.method) ? request.method : "other",
  route: routeOf(pathOf(request))?.pattern ?? "unknown"
})

export interface Observation {
  readonly routeOf: RouteOf
  /** Of how many requests an access line is written, 0 to 1; of a failure of ours always. */
  readonly accessRatio: number
}

export const withObservation = ({ accessRatio, routeOf }: Observation) => {
  const nameOf = requestName(routeOf)
  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const started = performance.now()
      const httpRequestId = requestIdOf(request.headers["x-request-id"])
      const notes = new Map<string, string>()

      const tell = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, E>) => {
        const { method, route } = nameOf(request)
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

      return app.pipe(
        Effect.map(HttpServerResponse.setHeader("x-request-id", httpRequestId)),
        Effect.onExit(tell),
        Effect.provideService(RequestNotes, notes),
        Effect.annotateLogs("httpRequestId", httpRequestId)
      )
    })
}
