/** What the oracle is, for people: at `/`, and for a browser at every address without a route. */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { pathOf } from "../../http/PathOf.ts"
import { prefersPage } from "../../http/PrefersPage.ts"
import type { RouteOf } from "../../http/Routes.ts"

const introduction = `This is a Causeway attestation oracle.

It reads chains under a quorum of endpoints, and signs what they show: the deposits of a transaction, the fill or refund
of an order, the state of a withdrawal. A hub contract credits the solver by these signatures. It holds no money and
keeps no state. Transfers are quoted and paid by another service, the transfer service.

  /documentation   its API, for people
  /openapi.json    the same as an OpenAPI document
  /lives/v1        whether it runs; needs no key
  /chains/v1       the chains that it reads
  /ready/v1        its signer, and the state of every chain's quorum
`

const inPlainText = { contentType: "text/plain; charset=utf-8" }

export const introduced = HttpServerResponse.text(introduction, inPlainText)

const nothingHere = HttpServerResponse.text(`There is nothing at this address.\n\n${introduction}`, {
  ...inPlainText,
  status: 404,
  headers: { vary: "accept" }
})

/** Programs get the refusal as JSON. */
export const withIntroduction =
  (routeOf: RouteOf) => <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) =>
        routeOf(pathOf(request)) === undefined && prefersPage(request.headers["accept"])
          ? Effect.succeed(nothingHere)
          : app
    )
