/** GET /intents/status and its stream (STATUS-3, WIRE-5): definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSchema, OpenApi } from "effect/http-api"
import { FailReason } from "../../../../src/domain/transfer/FailReason.ts"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { Status } from "../../../../src/domain/transfer/Status.ts"
import { readErrors } from "../CommonErrors.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { FallbackRow, RefundRow } from "../../api/Rows.ts"

/** A query that does not decode is answered with one sentence. */
export class InputErrors
  extends HttpApiMiddleware.Service<InputErrors>()("causeway/InputErrors", { error: BadRequest })
{}

export const IntentStatus = Schema.Struct({
  status: Schema.Union([Status, Schema.Literal("unknown")]),
  details: Schema.String,
  inTxHashes: Schema.Array(Schema.String),
  txHashes: Schema.Array(Schema.String),
  refunds: Schema.Array(RefundRow).annotate({
    description: "every deposit that goes back; such a leg never changes a reached success"
  }),
  fallback: Schema.optionalKey(FallbackRow),
  /** Milliseconds. */
  updatedAt: Schema.optionalKey(Schema.Int),
  originChainId: Schema.optionalKey(Schema.Int),
  destinationChainId: Schema.optionalKey(Schema.Int),
  /** Milliseconds. */
  quoteCreatedAt: Schema.optionalKey(Schema.Int),
  failReason: Schema.Union([FailReason, Schema.Literal("N/A")]),
  refundFailReason: Schema.Union([FailReason, Schema.Literal("N/A")])
}).annotate({ identifier: "IntentStatus" })
export type IntentStatus = typeof IntentStatus.Type

/** The states of the second version, which knows fewer. */
export const IntentStatusV2 = Schema.Struct({
  ...IntentStatus.fields,
  status: Schema.Literals(["waiting", "depositing", "pending", "success", "refund", "failure", "unknown"]).annotate({
    description: "as GET /intents/status has it, except that `submitted` and `delayed` are `pending`"
  }),
  time: Schema.optionalKey(Schema.Int.annotate({ description: "updatedAt, milliseconds" }))
}).annotate({ identifier: "IntentStatusV2" })
export type IntentStatusV2 = typeof IntentStatusV2.Type

const query = { requestId: RequestId.annotate({ description: "id of the request, as the quote's steps have it" }) }
const errors = [BadRequest, Unavailable, ...readErrors] as const

const streamHeaders = {
  "last-event-id": Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(20)).annotate({
      description: "the id of the last event that was seen: later ones follow"
    })
  )
}

const events = Schema.String.annotate({
  description:
    "events named `status`: id is the sequence of the change, data the JSON of GET /intents/status; the current state first, a comment every 15 s, closed after a terminal state"
})

export const StatusApi = HttpApiGroup.make("intents").add(
  HttpApiEndpoint.get("status", "/intents/status", { query, success: IntentStatus, error: errors })
    .annotateMerge(OpenApi.annotations({ identifier: "getIntentStatus", summary: "The state of a request" })),
  HttpApiEndpoint.get("statusV3", "/intents/status/v3", { query, success: IntentStatus, error: errors })
    .annotateMerge(OpenApi.annotations({
      identifier: "getIntentStatusV3",
      summary: "The same as GET /intents/status",
      description: "Compatibility alias of /intents/status.",
      override: { "x-compatibility-alias-of": "/intents/status" }
    })),
  HttpApiEndpoint.get("statusV2", "/intents/status/v2", { query, success: IntentStatusV2, error: errors })
    .annotateMerge(OpenApi.annotations({
      identifier: "getIntentStatusV2",
      summary: "The state of a request, in the words of the second version",
      description: "For clients that do not know the states `submitted` and `delayed`."
    })),
  HttpApiEndpoint.get("statusStream", "/intents/status/stream", {
    query,
    headers: streamHeaders,
    success: events.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })),
    error: errors
  }).annotateMerge(OpenApi.annotations({
    identifier: "streamIntentStatus",
    summary: "The state of a request, and every change of it, as server-sent events",
    description: "At most 20 streams at a time for a client address; a further one is a 429."
  }))
).middleware(InputErrors)
