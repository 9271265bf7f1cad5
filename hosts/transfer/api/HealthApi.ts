/** GET /lives and /ready: definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

/** What is not ready, each in a few words that hold no URL and no key. */
export class NotReady extends Schema.Error<NotReady>("NotReady")({
  _tag: Schema.tagDefaultOmit("NotReady"),
  status: Schema.Literal("not ready"),
  problems: Schema.Array(Schema.String)
}, { httpApiStatus: 503 }) {}

export const HealthApi = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("lives", "/lives", { success: Schema.Struct({ status: Schema.Literal("ok") }) })
    .annotateMerge(OpenApi.annotations({ identifier: "getLives", summary: "The process runs" })),
  HttpApiEndpoint.get("ready", "/ready", { success: Schema.Struct({ status: Schema.Literal("ready") }), error: NotReady })
    .annotateMerge(OpenApi.annotations({ identifier: "getReady", summary: "The store and every chain answer" }))
)
