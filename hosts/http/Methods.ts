/**
 * A known path with a method that it does not take: 405 with an Allow header, instead of the router's 404.
 *
 * HEAD is answered as GET without a body, and OPTIONS is CORS's.
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { RouteOf } from "./Routes.ts"

/** The path of a request, without its query. */
export const pathOf = ({ url }: HttpServerRequest.HttpServerRequest): string => url.split(/[?#]/u)[0] ?? url

const refusal = (methods: ReadonlySet<string>) =>
  HttpServerResponse.jsonUnsafe(
    { message: `this route takes ${[...methods].join(", ")}; GET /documentation lists what there is` },
    { status: 405, headers: { allow: [...methods].join(", ") } }
  )

export const withMethods = (routeOf: RouteOf) =>
<E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const methods = routeOf(pathOf(request))?.methods
    const method = request.method === "HEAD" ? "GET" : request.method
    return methods === undefined || methods.has(method) ? app : Effect.succeed(refusal(methods))
  })
