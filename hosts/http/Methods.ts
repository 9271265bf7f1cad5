/**
 * A known path with a method that it does not take: 405 with an Allow header, instead of the router's 404. A path that
 * is no declared route is a 404 before the router sees it, so that no spelling of one is answered that is not measured
 * and limited.
 *
 * HEAD is answered as GET without a body, and OPTIONS is CORS's.
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { NOTHING_HERE } from "./JsonErrors.ts"
import { pathOf } from "./PathOf.ts"
import type { RouteOf } from "./Routes.ts"

const nothingHere = HttpServerResponse.jsonUnsafe({ message: NOTHING_HERE }, { status: 404 })

const refusal = (methods: ReadonlySet<string>) =>
  HttpServerResponse.jsonUnsafe(
    { message: `this route takes ${[...methods].join(", ")}; GET /documentation lists what there is` },
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
