/**
 * Finds the route of a path: the pattern as declared, never the path itself, and its methods.
 *
 * Metrics, logs and traces use the pattern as their label. There are as many patterns as the API declares, and a
 * stranger's path never becomes one.
 */
import { HttpApi } from "effect/http-api"
import type { HttpApiGroup } from "effect/http-api"
import { segmentsOf } from "./Segments.ts"

export interface Route {
  /** As declared: `/admin/pauses/:id`. */
  readonly pattern: string
  readonly methods: ReadonlySet<string>
}

export interface FoundRoute extends Route {
  /** The canonical spelling of the requested path: as declared, with the parameters as sent. */
  readonly path: string
}

/** The route of a path without its query, in any spelling. Undefined when none is declared. */
export type RouteOf = (path: string) => FoundRoute | undefined

interface Template extends Route {
  readonly segments: ReadonlyArray<string>
}

const isParameter = (segment: string): boolean => segment.startsWith(":")

const fits = ({ segments }: Template, path: ReadonlyArray<string>): boolean =>
  segments.length === path.length &&
  segments.every((segment, index) => isParameter(segment) || segment.toLowerCase() === path[index]?.toLowerCase())

const pathIn = ({ segments }: Template, path: ReadonlyArray<string>): string =>
  `/${segments.map((segment, index) => isParameter(segment) ? path[index] : segment).join("/")}`

/** All routes of a definition, and `pages`, which are read with GET and are not part of it. */
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
  const all = routesOf(api, pages).map((route): Template => ({ ...route, segments: route.pattern.split("/").slice(1) }))
  const literal = new Map(
    all.filter(({ pattern }) => !pattern.includes("/:")).map((
      route
    ): [string, FoundRoute] => [route.pattern, { ...route, path: route.pattern }])
  )
  const folded = new Map([...literal].map(([pattern, route]) => [pattern.toLowerCase(), route]))
  const templates = all.filter(({ pattern }) => pattern.includes("/:"))
  return (path) => {
    const exact = literal.get(path)
    if (exact !== undefined) return exact
    const segments = segmentsOf(path)
    if (segments === undefined) return undefined
    const known = folded.get(`/${segments.join("/")}`.toLowerCase())
    if (known !== undefined) return known
    const template = templates.find((each) => fits(each, segments))
    return template === undefined
      ? undefined
      : { pattern: template.pattern, methods: template.methods, path: pathIn(template, segments) }
  }
}
