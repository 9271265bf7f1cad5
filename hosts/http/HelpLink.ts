/**
 * Where to read about an error, for every client (ERROR-4): a Link header with the relation `help`, the address of the
 * page that `docs` of the body names, or of the API's documentation where the body's shape has no `docs`.
 *
 * `docs` is made a whole URL in the body, too: whoever reads it in a log has no base to resolve it by.
 */
import { Effect, Option, Schema } from "effect"
import { HttpServerResponse } from "effect/http"

const decodeBody = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

const DOCUMENTATION = "/documentation"

const linked = (
  response: HttpServerResponse.HttpServerResponse,
  base: string
): HttpServerResponse.HttpServerResponse => {
  if (response.status < 400 || response.body._tag !== "Uint8Array") return response
  const body = Option.getOrUndefined(decodeBody(new TextDecoder().decode(response.body.body)))
  if (body === undefined) return response
  const docs = typeof body["docs"] === "string" ? body["docs"] : undefined
  const help = docs ?? DOCUMENTATION
  const url = help.startsWith("/") ? `${base}${help}` : help
  const told = HttpServerResponse.setHeader(response, "link", `<${url}>; rel="help"`)
  return docs === undefined || docs === url
    ? told
    : HttpServerResponse.setBody(told, HttpServerResponse.jsonUnsafe({ ...body, docs: url }).body)
}

/** `baseUrl`: the service's public URL. Empty where it has none: the link is then relative to the request's URL. */
export const withHelpLink = (baseUrl: string) => {
  const base = baseUrl.replace(/\/+$/u, "")
  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.map(app, (response) => linked(response, base))
}
