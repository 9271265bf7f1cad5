/**
 * Shows refusals that happen before a page's route (a limit, a method, a defect of this service) as a page of the same
 * look for browsers. Status and headers stay. Programs get the original body.
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { pathOf } from "../../http/PathOf.ts"
import type { RouteOf } from "../../http/Routes.ts"
import { answer } from "./Document.ts"
import { prefersPage } from "./PrefersPage.ts"
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

const isPage = ({ headers }: HttpServerResponse.HttpServerResponse): boolean =>
  (headers["content-type"] ?? "").startsWith("text/html")

/** Headers of the replaced body. */
const ofBody: ReadonlySet<string> = new Set(["content-type", "content-length"])

const shown = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const page = answer(pageOf(response.status, response.headers["retry-after"]))
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
        Effect.map(app, (response) =>
          response.status >= 400 && !isPage(response) && routeOf(pathOf(request))?.pattern === PAGE &&
            prefersPage(request.headers["accept"])
            ? shown(response)
            : response)
    )
