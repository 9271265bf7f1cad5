/** GET /requests and its summary (HISTORY-1, HISTORY-3, HISTORY-2): definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { WireDetails } from "../../../../src/domain/quote/wire/Details.ts"
import { WireFeeSponsorship } from "../../../../src/domain/quote/wire/FeeSponsorship.ts"
import { WireFees } from "../../../../src/domain/quote/wire/Quote.ts"
import { FailReason } from "../../../../src/domain/transfer/FailReason.ts"
import { Status } from "../../../../src/domain/transfer/Status.ts"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { bodyErrors, Defect, idempotencyHeader, readErrors } from "../CommonErrors.ts"
import { BadRequest, QuoteUnauthorized, Unavailable } from "../quote/QuoteErrors.ts"
import { FallbackRow, RefundRow, SettlementRow, TransactionRow } from "../../api/Rows.ts"
import { InputErrors } from "../status/StatusApi.ts"

const Fees = Schema.toCodecJson(WireFees)

export const RequestRow = Schema.Struct({
  id: Schema.String,
  status: Status,
  user: Schema.String,
  recipient: Schema.String,
  createdAt: Schema.String.annotate({ description: "ISO 8601" }),
  updatedAt: Schema.String.annotate({ description: "ISO 8601" }),
  referrer: Schema.NullOr(Schema.String),
  referrerAddress: Schema.NullOr(Schema.String),
  data: Schema.Struct({
    inTxs: Schema.Array(TransactionRow),
    outTxs: Schema.Array(TransactionRow),
    refunds: Schema.Array(RefundRow),
    fallback: Schema.optionalKey(FallbackRow),
    settlements: Schema.Array(SettlementRow).annotate({
      description:
        "of each deposit that was filled or refunded, how far it is settled between the solver and the protocol; nothing of it concerns the user"
    }),
    fees: Schema.Struct({
      quoted: Fees,
      actual: Schema.optionalKey(Fees.annotate({ description: "once what a transfer really cost is booked" }))
    }),
    feeSponsorship: Schema.optionalKey(
      Schema.toCodecJson(WireFeeSponsorship).annotate({ description: "when somebody sponsors" })
    ),
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

const Limit = Schema.NumberFromString.pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })))
)

const Yes = Schema.Literals(["true", "false"])

const query = {
  id: Schema.optionalKey(Text.annotate({ description: "a request id" })),
  orderId: Schema.optionalKey(Text.annotate({ description: "an order id, as deposits carry it" })),
  txHash: Schema.optionalKey(Text.annotate({ description: "a transaction of the request, on any chain" })),
  depositAddress: Schema.optionalKey(
    Text.annotate({ description: "a deposit address: every request that was made for it, the newest first" })
  ),
  status: Schema.optionalKey(Status.annotate({ description: "only requests in this state" })),
  user: Schema.optionalKey(Text.annotate({ description: "the account that was to deposit" })),
  sponsored: Schema.optionalKey(
    Yes.annotate({ description: "true for requests that were quoted with a sponsor, false for the others" })
  ),
  limit: Schema.optionalKey(
    Limit.pipe(Schema.annotateEncoded({ description: "requests on a page, 1 to 50; 20 when left out" }))
  ),
  continuation: Schema.optionalKey(
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(512)).annotate({
      description: "that of the page before, with the same query"
    })
  )
}
export type RequestsQuery = Schema.Struct<typeof query>["Type"]

const Day = Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/, { expected: "a day such as 2026-11-21" }))

const totals = {
  requests: Schema.Int,
  sponsoredRequests: Schema.Int.annotate({ description: "those that were quoted with a sponsor" }),
  sponsoredTotal: Schema.String.annotate({ description: "taken off the app balance for them, USDC with 6 decimals" }),
  byStatus: Schema.Record(Status, Schema.Int)
}

export const SummaryAnswer = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  period: Schema.Literals(["day", "month"]),
  total: Schema.Struct(totals),
  periods: Schema.Array(
    Schema.Struct({ period: Schema.String.annotate({ description: "2026-11-21, or 2026-11" }), ...totals })
  ).annotate({
    description: "oldest first; those without requests are left out"
  })
}).annotate({ identifier: "RequestsSummary" })
export type SummaryAnswer = typeof SummaryAnswer.Type

const { txHash, ...others } = query

/** The same query, with the transaction under its name of the second version. */
const queryV2 = { ...others, hash: txHash }
export type RequestsQueryV2 = Schema.Struct<typeof queryV2>["Type"]

const headers = { "x-api-key": Schema.optionalKey(Schema.String) }
const errors = [BadRequest, QuoteUnauthorized, Unavailable, ...readErrors] as const

export const HistoryApi = HttpApiGroup.make("history").add(
  HttpApiEndpoint.get("requests", "/requests", { query, headers, success: RequestsAnswer, error: errors })
    .annotateMerge(OpenApi.annotations({
      identifier: "getRequests",
      summary: "The requests of a key, or one request",
      description: [
        "Under an x-api-key: that key's requests, newest first, narrowed by status, user and sponsored, page by page. Every request that there was when the",
        "first page was asked for is on exactly one page, whatever is written meanwhile. With exactly one of id, orderId, txHash and depositAddress: what that",
        "names, without a key; what is not known gives an empty list."
      ].join(" ")
    })),
  HttpApiEndpoint.get("requestsV2", "/requests/v2", { query: queryV2, headers, success: RequestsAnswer, error: errors })
    .annotateMerge(OpenApi.annotations({
      identifier: "getRequestsV2",
      summary: "The same as GET /requests, where txHash is named hash",
      description: "Compatibility alias of /requests.",
      override: { "x-compatibility-alias-of": "/requests" }
    })),
  HttpApiEndpoint.post("requestsMetadata", "/requests/metadata", {
    headers: Schema.Struct(idempotencyHeader),
    payload: Schema.Struct({
      requestId: RequestId,
      additionalMetadata: Schema.Record(Schema.String, Schema.Json).annotate({
        description: "what a client knows besides; this service keeps none of it"
      })
    }),
    success: Schema.Struct({ message: Schema.String }),
    error: [BadRequest, Unavailable, Defect, ...bodyErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "postRequestMetadata",
    summary: "Accepts a client's metadata of a known request, and keeps nothing of it",
    description: "For clients that insist on telling it. An unknown request is a 400."
  })),
  HttpApiEndpoint.get("requestsSummary", "/requests/summary", {
    query: {
      from: Schema.optionalKey(
        Day.annotate({ description: "the first day, in UTC; 30 days before the last when left out" })
      ),
      to: Schema.optionalKey(Day.annotate({ description: "the last day, included; today when left out" })),
      period: Schema.optionalKey(
        Schema.Literals(["day", "month"]).annotate({
          description: "day when left out; at most 366 days, 1827 with month"
        })
      )
    },
    headers,
    success: SummaryAnswer,
    error: errors
  }).annotateMerge(OpenApi.annotations({
    identifier: "getRequestsSummary",
    summary: "How many requests a key had, their outcomes, and what they drew on its app balance",
    description:
      "A request, and what was captured for it, belongs to the period in which it was quoted: the periods add up to the total."
  }))
).middleware(InputErrors)
