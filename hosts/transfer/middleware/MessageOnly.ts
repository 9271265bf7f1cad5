/**
 * Error bodies of the reindex route are exactly {message} (ERROR-3), whether the route, a limit or the framework
 * refuses. Status and headers stay.
 */
import { Effect, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { pathOf } from "../../http/PathOf.ts"

const paths: ReadonlySet<string> = new Set(["/transactions/deposit-address/reindex"])

const decodeBody = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ message: Schema.String })))

const reduced = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  if (response.status < 400 || response.body._tag !== "Uint8Array") return response
  const { message } = Option.getOrElse(
    decodeBody(new TextDecoder().decode(response.body.body)),
    () => ({ message: "the request failed" })
  )
  return HttpServerResponse.setBody(response, HttpServerResponse.jsonUnsafe({ message }).body)
}

export const withMessageOnly = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) => paths.has(pathOf(request)) ? Effect.map(app, reduced) : app
  )
