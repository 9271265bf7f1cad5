/**
 * The routes of a host by the path of a request: the pattern as it is declared, never the path itself, and its methods.
 *
 * What metrics, logs and traces are labelled with: there are as many patterns as the API declares, and no path of a
 * stranger's choice becomes one.
 */
import { HttpApi } from "effect/http-api"
import type { HttpApiGroup } from "effect/http-api"

export interface Route {
  /** As declared: `/admin/pauses/:id`. */
  readonly pattern: string
  readonly methods: ReadonlySet<string>
}

/** The route of a path without its query; undefined when none is declared. */
export type RouteOf = (path: string) => Route | undefined

interface Template extends Route {
  readonly segments: ReadonlyArray<string>
}

const fits = ({ segments }: Template, path: ReadonlyArray<string>): boolean =>
  segments.length === path.length && segments.every((segment, index) => segment.startsWith(":") || segment === path[index])

/** Every route of a definition, and `pages`, which are read with GET and are no part of it. */
export const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  pages: ReadonlyArray<string>
): ReadonlyArray<Route> => {
  const methods = new Map<string, Set<string>>(pages.map((path) => [path, new Set(["GET"])]))
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const known = methods.get(endpoint.path) ?? new Set()
      methods.set(endpoint.path, known.add(endpoint.method))
    }
  })
  return [...methods].map(([pattern, methods]) => ({ pattern, methods }))
}

export const makeRouteOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  pages: ReadonlyArray<string>
): RouteOf => {
  const all = routesOf(api, pages).map((route): Template => ({ ...route, segments: route.pattern.split("/") }))
  const literal = new Map(all.map((route) => [route.pattern, route]))
  const templates = all.filter(({ pattern }) => pattern.includes("/:"))
  return (path) => {
    const exact = literal.get(path)
    if (exact !== undefined) return exact
    const segments = path.split("/")
    return templates.find((template) => fits(template, segments))
  }
}
