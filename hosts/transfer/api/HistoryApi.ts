/** GET /requests (spec/3 §6, §10): definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { WireDetails } from "../../../src/domain/quote/wire/Details.ts"
import { WireFeeSponsorship } from "../../../src/domain/quote/wire/FeeSponsorship.ts"
import { WireFees } from "../../../src/domain/quote/wire/Quote.ts"
import { FailReason } from "../../../src/domain/transfer/FailReason.ts"
import { Status } from "../../../src/domain/transfer/Status.ts"
import { readErrors } from "./CommonErrors.ts"
import { BadRequest, QuoteUnauthorized, Unavailable } from "./QuoteErrors.ts"
import { RefundRow, TransactionRow } from "./Rows.ts"
import { InputErrors } from "./StatusApi.ts"

const Fees = Schema.toCodecJson(WireFees)

export const RequestRow = Schema.Struct({
  id: Schema.String,
  status: Status,
  user: Schema.String,
  recipient: Schema.String,
  createdAt: Schema.String.annotate({ description: "ISO 8601" }),
  updatedAt: Schema.String.annotate({ description: "ISO 8601" }),
  referrer: Schema.NullOr(Schema.String),
  data: Schema.Struct({
    inTxs: Schema.Array(TransactionRow),
    outTxs: Schema.Array(TransactionRow),
    refunds: Schema.Array(RefundRow),
    fees: Schema.Struct({
      quoted: Fees,
      actual: Schema.optionalKey(Fees.annotate({ description: "once what a transfer really cost is booked" }))
    }),
    feeSponsorship: Schema.optionalKey(Schema.toCodecJson(WireFeeSponsorship).annotate({ description: "when somebody sponsors" })),
    appFees: Schema.Array(Schema.Struct({ recipient: Schema.String, bps: Schema.String, amount: Schema.String })),
    failReason: Schema.Union([FailReason, Schema.Literal("N/A")]),
    metadata: Schema.toCodecJson(WireDetails).annotate({ description: "the quote's details" })
  })
}).annotate({ identifier: "Request" })
export type RequestRow = typeof RequestRow.Type

export const RequestsAnswer = Schema.Struct({
  requests: Schema.Array(RequestRow),
  continuation: Schema.optionalKey(Schema.String)
})

const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128))

export const HistoryApi = HttpApiGroup.make("history").add(
  HttpApiEndpoint.get("requests", "/requests", {
    query: {
      id: Schema.optionalKey(Text.annotate({ description: "a request id" })),
      orderId: Schema.optionalKey(Text.annotate({ description: "an order id, as deposits carry it" })),
      txHash: Schema.optionalKey(Text.annotate({ description: "a transaction of the request, on any chain" }))
    },
    headers: { "x-api-key": Schema.optionalKey(Schema.String) },
    success: RequestsAnswer,
    error: [BadRequest, QuoteUnauthorized, Unavailable, ...readErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "getRequests",
    summary: "What became of a request",
    description: "Exactly one of id, orderId and txHash; such a query needs no key. An id that is not known gives an empty list."
  }))
).middleware(InputErrors)
