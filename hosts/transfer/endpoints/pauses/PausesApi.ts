/** The operator's pauses (SAFE-9): definition only. These routes exist only with ADMIN_TOKEN. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { bodyErrors, Defect, idempotencyHeader, readErrors } from "../CommonErrors.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

export class NotFound extends Schema.Error<NotFound>("NotFound")({
  _tag: Schema.tagDefaultOmit("NotFound"),
  message: Schema.String
}, { httpApiStatus: 404 }) {}

export class AdminUnauthorized extends Schema.Error<AdminUnauthorized>("AdminUnauthorized")({
  _tag: Schema.tagDefaultOmit("AdminUnauthorized"),
  message: Schema.String
}, { httpApiStatus: 401 }) {}

/** `Authorization: Bearer <ADMIN_TOKEN>`; 404 when the service has no such token. */
export class Admin extends HttpApiMiddleware.Service<Admin>()("causeway/Admin", {
  security: { adminToken: HttpApiSecurity.bearer },
  error: [AdminUnauthorized, NotFound]
}) {}

const Text = Schema.String.check(Schema.isMaxLength(200))
const reason = Schema.optionalKey(Text.annotate({ description: "for other operators; never shown to users" }))

export const PauseRequest = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("chain"), chainId: ChainId, reason }),
  Schema.Struct({ kind: Schema.Literal("currency"), chainId: ChainId, currency: Text, reason }),
  Schema.Struct({
    kind: Schema.Literal("route"),
    originChainId: ChainId,
    destinationChainId: ChainId,
    originCurrency: Schema.optionalKey(Text.annotate({ description: "all of the origin when left out" })),
    destinationCurrency: Schema.optionalKey(Text.annotate({ description: "all of the destination when left out" })),
    reason
  })
]).annotate({ identifier: "PauseRequest" })
export type PauseRequest = typeof PauseRequest.Type

export const PauseRow = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["chain", "currency", "route", "halt"]),
  reason: Schema.String,
  createdAt: Schema.String.annotate({ description: "ISO 8601" })
}).annotate({ identifier: "Pause" })

const PausesAnswer = Schema.Struct({ pauses: Schema.Array(PauseRow) })

const LossRow = Schema.Struct({
  kind: Schema.Literals(["deposit", "payment"]).annotate({
    description: "a deposit that was paid for, or a payment of ours that is owed again"
  }),
  chainId: ChainId,
  orderId: Schema.String,
  deposit: Schema.String.annotate({
    description: "its on-chain id, or that of the deposit which the payment answered"
  }),
  transactionId: Schema.String,
  currency: Schema.String,
  amount: Schema.String.annotate({ description: "smallest units of the currency" }),
  noticedAt: Schema.String.annotate({ description: "ISO 8601" }),
  recoveredAt: Schema.NullOr(Schema.String).annotate({ description: "ISO 8601; null while it is a loss" })
}).annotate({ identifier: "Loss" })

export const PausesApi = HttpApiGroup.make("admin").add(
  HttpApiEndpoint.post("pause", "/admin/pauses", {
    headers: idempotencyHeader,
    payload: PauseRequest,
    success: PauseRow,
    error: [BadRequest, Unavailable, Defect, ...bodyErrors]
  })
    .annotateMerge(OpenApi.annotations({
      identifier: "createPause",
      summary: "Pause a chain, a currency or a route at once",
      description:
        "Quotes for it are refused with CHAIN_DISABLED from now on, in every process; transfers that were quoted go on. Pausing twice is pausing once."
    })),
  HttpApiEndpoint.get("pauses", "/admin/pauses", {
    success: PausesAnswer,
    error: [BadRequest, Unavailable, ...readErrors]
  })
    .annotateMerge(
      OpenApi.annotations({ identifier: "getPauses", summary: "What is paused, and which chains are halted" })
    ),
  HttpApiEndpoint.get("losses", "/admin/losses", {
    success: Schema.Struct({ losses: Schema.Array(LossRow) }),
    error: [BadRequest, Unavailable, ...readErrors]
  })
    .annotateMerge(
      OpenApi.annotations({
        identifier: "getLosses",
        summary: "Losses by reorgs: deposits that were paid for and payments that were undone, newest first"
      })
    ),
  HttpApiEndpoint.delete("resume", "/admin/pauses/:id", {
    params: { id: Schema.String.annotate({ description: "id of the pause, as GET /admin/pauses has it" }) },
    success: PausesAnswer,
    error: [NotFound, BadRequest, Unavailable, ...readErrors]
  })
    .annotateMerge(
      OpenApi.annotations({
        identifier: "deletePause",
        summary: "Resume what was paused or halted; answers with what is still paused"
      })
    )
).middleware(InputErrors).middleware(Admin)
