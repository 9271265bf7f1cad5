/** GET /lives and /ready: definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

/** A few words each, without URLs and keys. */
const problems = Schema.Array(Schema.String)

const ChainReadiness = Schema.Struct({
  id: Schema.String,
  serves: Schema.Boolean.annotate({
    description: "whether it is quoted: it answers, is not halted, and has confirmed its configuration"
  }),
  configuration: Schema.Literals(["confirmed", "unread", "contradicted"])
    .annotate({
      description:
        "`unread` until the chain could be compared with its configuration; what is `contradicted` is out of service: a whole chain, or single currencies"
    }),
  problems,
  warnings: Schema.Array(Schema.String).annotate({
    description: "what weakens the chain while it serves: too few endpoints to agree on what is filled and refunded"
  })
})

const chains = Schema.Array(ChainReadiness)

/** No chain is served, or the store does not answer. */
export class NotReady extends Schema.Error<NotReady>("NotReady")({
  _tag: Schema.tagDefaultOmit("NotReady"),
  status: Schema.Literal("not ready"),
  problems,
  chains
}, { httpApiStatus: 503 }) {}

export const HealthApi = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("lives", "/lives", { success: Schema.Struct({ status: Schema.Literal("ok") }) })
    .annotateMerge(OpenApi.annotations({ identifier: "getLives", summary: "The process runs" })),
  HttpApiEndpoint.get("ready", "/ready", {
    success: Schema.Struct({ status: Schema.Literal("ready"), problems, chains }),
    error: NotReady
  })
    .annotateMerge(OpenApi.annotations({ identifier: "getReady", summary: "Whether the store and each chain serve" }))
)
