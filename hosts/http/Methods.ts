/**
 * A known path with a method that it does not take: 405 with an Allow header, instead of the router's 404.
 *
 * The paths are those of the API definition and of the plain pages beside it; HEAD is answered as GET without a body,
 * and OPTIONS is CORS's.
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi } from "effect/http-api"
import type { HttpApiGroup } from "effect/http-api"

interface KnownPath {
  readonly segments: ReadonlyArray<string>
  readonly methods: Set<string>
}

/** The methods that a path takes; undefined when it is not known. `pages` are read with GET and are no part of the definition. */
export const makeMethodsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  pages: ReadonlyArray<string>
): (path: string) => ReadonlySet<string> | undefined => {
  const methods = new Map<string, Set<string>>(pages.map((path) => [path, new Set(["GET"])]))
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const known = methods.get(endpoint.path) ?? new Set()
      methods.set(endpoint.path, known.add(endpoint.method))
    }
  })
  const known = [...methods].map(([path, methods]): KnownPath => ({ segments: path.split("/"), methods }))
  return (path) => {
    const segments = path.split("/")
    const found = known.filter((each) =>
      each.segments.length === segments.length &&
      each.segments.every((segment, index) => segment.startsWith(":") || segment === segments[index]))
    return found.length === 0 ? undefined : new Set(found.flatMap((each) => [...each.methods]))
  }
}

/** The path of a request, without its query. */
export const pathOf = ({ url }: HttpServerRequest.HttpServerRequest): string => url.split(/[?#]/u)[0] ?? url

const refusal = (methods: ReadonlySet<string>) =>
  HttpServerResponse.jsonUnsafe(
    { message: `this route takes ${[...methods].join(", ")}; GET /documentation lists what there is` },
    { status: 405, headers: { allow: [...methods].join(", ") } }
  )

export const withMethods = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  pages: ReadonlyArray<string>
) => {
  const methodsOf = makeMethodsOf(api, pages)
  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const methods = methodsOf(pathOf(request))
      const method = request.method === "HEAD" ? "GET" : request.method
      return methods === undefined || methods.has(method) ? app : Effect.succeed(refusal(methods))
    })
}
