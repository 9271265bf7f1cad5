/** GET /intents/status (spec/1 §4.4, spec/3 §6): definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, OpenApi } from "effect/http-api"
import { FailReason } from "../../../src/domain/transfer/FailReason.ts"
import { Status } from "../../../src/domain/transfer/Status.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { BadRequest, Unavailable } from "./QuoteErrors.ts"

/** Queries that do not decode are answered with one sentence. */
export class InputErrors extends HttpApiMiddleware.Service<InputErrors>()("causeway/InputErrors", { error: BadRequest }) {}

export const IntentStatus = Schema.Struct({
  status: Schema.Union([Status, Schema.Literal("unknown")]),
  details: Schema.String,
  inTxHashes: Schema.Array(Schema.String),
  txHashes: Schema.Array(Schema.String),
  /** Milliseconds. */
  updatedAt: Schema.optionalKey(Schema.Int),
  originChainId: Schema.optionalKey(Schema.Int),
  destinationChainId: Schema.optionalKey(Schema.Int),
  /** Milliseconds. */
  quoteCreatedAt: Schema.optionalKey(Schema.Int),
  failReason: Schema.Union([FailReason, Schema.Literal("N/A")]),
  refundFailReason: Schema.Union([FailReason, Schema.Literal("N/A")])
})
export type IntentStatus = typeof IntentStatus.Type

const query = { requestId: RequestId }
const errors = [BadRequest, Unavailable] as const

export const StatusApi = HttpApiGroup.make("intents").add(
  HttpApiEndpoint.get("status", "/intents/status", { query, success: IntentStatus, error: errors })
    .annotateMerge(OpenApi.annotations({ identifier: "getIntentStatus", summary: "The state of a request" })),
  HttpApiEndpoint.get("statusV3", "/intents/status/v3", { query, success: IntentStatus, error: errors })
    .annotateMerge(OpenApi.annotations({ identifier: "getIntentStatusV3", summary: "The same as GET /intents/status", description: "Compatibility alias of /intents/status." }))
).middleware(InputErrors)
