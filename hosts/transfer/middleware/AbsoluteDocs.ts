/** Makes `docs` of an error a whole URL: whoever reads it in a log has no base to resolve it by. */
import { Effect, Option, Schema } from "effect"
import { HttpServerResponse } from "effect/http"

const decodeBody = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

const linked = (
  response: HttpServerResponse.HttpServerResponse,
  baseUrl: string
): HttpServerResponse.HttpServerResponse => {
  if (response.status < 400 || response.body._tag !== "Uint8Array") return response
  const body = Option.getOrUndefined(decodeBody(new TextDecoder().decode(response.body.body)))
  const docs = body?.["docs"]
  return typeof docs === "string" && docs.startsWith("/")
    ? HttpServerResponse.setBody(response, HttpServerResponse.jsonUnsafe({ ...body, docs: `${baseUrl}${docs}` }).body)
    : response
}

/** `baseUrl`: the service's public URL. */
export const withAbsoluteDocs = (baseUrl: string) => {
  const base = baseUrl.replace(/\/+$/u, "")
  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.map(app, (response) => linked(response, base))
}
