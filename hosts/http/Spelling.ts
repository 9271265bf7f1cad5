/**
 * Gives a request's URL its canonical spelling before anything else reads it. `Segments` defines which paths are the
 * same.
 */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import { pathOf } from "./PathOf.ts"
import type { RouteOf } from "./Routes.ts"

const queryOf = (url: string): string => /^[^?#]*(\?[^#]*)/u.exec(url)?.[1] ?? ""

/**
 * Outside of everything that reads a request: from here on its URL is the route's canonical spelling. A path without a
 * route keeps its URL, and `withMethods` keeps it from the router.
 */
export const withOneSpelling =
  (routeOf: RouteOf) => <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const path = routeOf(pathOf(request))?.path
      const url = path === undefined ? request.url : `${path}${queryOf(request.url)}`
      return url === request.url
        ? app
        : Effect.provideService(app, HttpServerRequest.HttpServerRequest, request.modify({ url }))
    })
