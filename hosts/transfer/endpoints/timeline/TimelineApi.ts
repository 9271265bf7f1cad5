/** GET /requests/{id}: the history of a request, for people: definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RequestTimeline } from "../../../../src/domain/timeline/RequestTimeline.ts"
import { readErrors } from "../CommonErrors.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

export class NoSuchRequest extends Schema.Error<NoSuchRequest>("NoSuchRequest")(
  { _tag: Schema.tagDefaultOmit("NoSuchRequest"), message: Schema.String },
  { httpApiStatus: 404 }
) {}

const page = Schema.String.annotate({ description: "the same as a page, for who accepts text/html" }).pipe(
  HttpApiSchema.asText({ contentType: "text/html" })
)

export const TimelineApi = HttpApiGroup.make("story").add(
  HttpApiEndpoint.get("story", "/requests/:id", {
    params: { id: Schema.String.annotate({ description: "id of the request" }) },
    success: [RequestTimeline, page],
    error: [BadRequest, NoSuchRequest, Unavailable, ...readErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "getRequestStory",
    summary: "A request's history, written for people",
    description: [
      "A browser, which accepts text/html, gets a page that changes by itself; everybody else the same as JSON. It shows what the status and the",
      "history by id show, and needs no key. The texts are for people and may change; programs read GET /intents/status and GET /requests."
    ].join(" ")
  }))
).middleware(InputErrors)
