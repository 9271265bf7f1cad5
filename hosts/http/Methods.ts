/**
 * A known path with a method that it does not have answers 405 with an Allow header, instead of the router's 404. A
 * path without a declared route is a 404 before the router sees it. So no spelling of a path is answered without
 * metrics and limits.
 *
 * HEAD is answered like GET without a body. OPTIONS belongs to CORS.
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { NOTHING_HERE } from "./JsonErrors.ts"
import { pathOf } from "./PathOf.ts"
import type { RouteOf } from "./Routes.ts"

const nothingHere = HttpServerResponse.jsonUnsafe({ message: NOTHING_HERE }, { status: 404 })

const refusal = (methods: ReadonlySet<string>) =>
  HttpServerResponse.jsonUnsafe(
    { message: `this route supports ${[...methods].join(", ")}; GET /documentation lists all routes` },
    { status: 405, headers: { allow: [...methods].join(", ") } }
  )

export const withMethods =
  (routeOf: RouteOf) => <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const methods = routeOf(pathOf(request))?.methods
      if (methods === undefined) return Effect.succeed(nothingHere)
      const method = request.method === "HEAD" ? "GET" : request.method
      return methods.has(method) ? app : Effect.succeed(refusal(methods))
    })
