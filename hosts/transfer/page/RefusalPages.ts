/**
 * Shows a browser refusals that happen before a page's route (a limit, a method, a defect of this service), and an
 * address without a route, as a page of the same look. Status and headers stay. Programs get the original body.
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { pathOf } from "../../http/PathOf.ts"
import type { RouteOf } from "../../http/Routes.ts"
import { answer } from "./Document.ts"
import { html } from "./Html.ts"
import { prefersPage } from "../../http/PrefersPage.ts"
import { sorryPage } from "./TimelinePage.ts"
import type { Page } from "./Document.ts"

/** The route whose answers people see. */
const PAGE = "/requests/:id"

const pageOf = (status: number, retryAfter: string | undefined): Page => {
  if (status === 429) {
    return sorryPage(
      status,
      "Too often",
      `So many pages were asked for from where you are that this one has to wait. Load it again in ${
        retryAfter ?? "a few"
      } seconds.`
    )
  }
  if (status === 503) {
    return sorryPage(
      status,
      "Not available now",
      "The service cannot look it up at the moment. Load this page again in a little while."
    )
  }
  return status >= 500
    ? sorryPage(
      status,
      "Something went wrong here",
      "That is a defect of this service and says nothing of the transfer. Load this page again in a little while."
    )
    : sorryPage(
      status,
      "This cannot be shown",
      "The address of this page, or what the browser sent with it, is not as it should be."
    )
}

/** The way from a path to where the service begins, for links that also hold behind a proxy's prefix. */
const rootOf = (path: string): string => "../".repeat(path.split("/").length - 2) || "./"

const nothingHere = (path: string): Page => {
  const root = rootOf(path)
  return {
    status: 404,
    title: "Nothing here",
    body:
      html`<main class="sorry"><header><p class="brand"><a href="${root}">Causeway</a></p><h1>Nothing here</h1><p class="explanation">This service has no page at this address.</p></header>
<section><ul>
<li><a href="${root}">Find a transfer by any id, and see the state of the chains</a></li>
<li><a href="${root}dashboard">The dashboard: keys, app balance, webhooks, costs</a></li>
<li><a href="${root}documentation">The API, to read and to try</a></li>
</ul></section></main>`
  }
}

/** The page in the place of a refusal, if a browser is to see one. */
const pageFor = (
  routeOf: RouteOf,
  path: string,
  { headers, status }: HttpServerResponse.HttpServerResponse
): Page | undefined => {
  const route = routeOf(path)
  if (route === undefined) return status === 404 ? nothingHere(path) : undefined
  return route.pattern === PAGE ? pageOf(status, headers["retry-after"]) : undefined
}

const isPage = ({ headers }: HttpServerResponse.HttpServerResponse): boolean =>
  (headers["content-type"] ?? "").startsWith("text/html")

/** Headers of the replaced body. */
const ofBody: ReadonlySet<string> = new Set(["content-type", "content-length"])

const shown = (
  response: HttpServerResponse.HttpServerResponse,
  instead: Page
): HttpServerResponse.HttpServerResponse => {
  const page = answer(instead)
  const kept = Object.fromEntries(
    Object.entries(response.headers).filter(([name]) => !ofBody.has(name) && !(name in page.headers))
  )
  return HttpServerResponse.setHeaders(page, kept)
}

export const withRefusalPages =
  (routeOf: RouteOf) => <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) =>
        Effect.map(app, (response) => {
          if (response.status < 400 || isPage(response) || !prefersPage(request.headers["accept"])) return response
          const instead = pageFor(routeOf, pathOf(request), response)
          return instead === undefined ? response : shown(response, instead)
        })
    )
