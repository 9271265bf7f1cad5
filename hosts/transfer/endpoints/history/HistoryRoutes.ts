/**
 * GET /requests (HISTORY-3) and its summary. Queries by id, order id or transaction need no key; all others need one.
 */
import { Effect, Layer, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import { Hex32FromString } from "../../../../src/domain/encoding/Hex.ts"
import type { PeriodKind, Totals } from "../../../../src/domain/timeline/history/Summary.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { HistoryRefused, RequestHistory } from "../../../../src/services/requests/RequestHistory.ts"
import { Statuses } from "../../../../src/services/requests/Statuses.ts"
import type { KnownTransfer } from "../../../../src/services/requests/Statuses.ts"
import type { RequestRow, RequestsQuery, RequestsQueryV2, SummaryAnswer } from "./HistoryApi.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import type { QuoteUnauthorized } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { neededKey } from "../../middleware/ApiKey.ts"
import {
  fallbackRow,
  inTransaction,
  outTransaction,
  refundRow,
  sendTransactions,
  settlementRow
} from "../../routes/Rows.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

const requestRow = (
  { appFees, deposits, feeSponsorship, payments, refunds, send, settlements, transfer }: KnownTransfer
): RequestRow => ({
  id: transfer.id,
  status: transfer.status,
  user: transfer.terms.user,
  recipient: transfer.terms.recipient,
  createdAt: iso(transfer.quotedAt),
  updatedAt: iso(transfer.updatedAt),
  referrer: transfer.terms.referrer ?? null,
  referrerAddress: transfer.terms.referrerAddress ?? null,
  data: {
    inTxs: [...deposits.map(inTransaction), ...sendTransactions(send, transfer)],
    outTxs: [...payments.map(outTransaction), ...sendTransactions(send, transfer)],
    refunds: refunds.map(refundRow),
    ...fallbackRow({ payments, transfer }),
    settlements: settlementRow({ deposits, settlements }),
    fees: { quoted: transfer.quote.fees },
    ...(feeSponsorship === undefined ? {} : { feeSponsorship }),
    appFees: appFees.map(({ bps, recipient, units }) => ({ recipient, bps: bps.toString(), amount: units.toString() })),
    failReason: transfer.failReason ?? "N/A",
    metadata: transfer.quote.details
  }
})

const parsed = <S extends Schema.Codec<unknown, string>>(schema: S, field: string, text: string) =>
  Schema.decodeUnknownEffect(schema)(text).pipe(
    Effect.mapError(() => new BadRequest({ message: `${field} must be 0x and 64 hex digits` }))
  )

const listingKey = neededKey(
  "a listing of requests needs an x-api-key; a query by id, orderId, txHash or depositAddress needs none"
)

const USUAL_LIMIT = 20

const wireTotals = ({ byStatus, captured, requests, sponsoredRequests }: Totals) => ({
  requests,
  sponsoredRequests,
  sponsoredTotal: captured.toString(),
  byStatus
})

/** Queries that name a request. They need no key, and take no filter. */
const lookups = ["id", "orderId", "txHash", "depositAddress"] as const
const filters = ["status", "user", "sponsored", "continuation"] as const

const onTheWire = (error: BadRequest | QuoteUnauthorized | HistoryRefused | StoreUnavailable) => {
  if (error instanceof StoreUnavailable) return new Unavailable({ message: error.message })
  return error instanceof HistoryRefused ? new BadRequest({ message: error.message }) : error
}

export const layer = HttpApiBuilder.group(
  TransferApi,
  "history",
  Effect.fn(function*(handlers) {
    const statuses = yield* Statuses
    const history = yield* RequestHistory

    const find = Effect.fnUntraced(function*({ depositAddress, id, limit, orderId, txHash }: RequestsQuery) {
      if (id !== undefined) {
        const known = yield* statuses.find(yield* parsed(RequestId, "id", id.toLowerCase()))
        return known === undefined ? [] : [known]
      }
      if (orderId !== undefined) {
        const order = yield* parsed(Hex32FromString, "orderId", orderId)
        const known = yield* statuses.findByOrder(OrderId.make(order))
        return known === undefined ? [] : [known]
      }
      if (depositAddress !== undefined) {
        return yield* statuses.findByDepositAddress(depositAddress, limit ?? USUAL_LIMIT)
      }
      return txHash === undefined ? [] : yield* statuses.findByTransaction(txHash)
    })

    const lookUp = Effect.fnUntraced(function*(query: RequestsQuery) {
      if (lookups.filter((name) => query[name] !== undefined).length > 1) {
        return yield* new BadRequest({ message: "only one of id, orderId, txHash and depositAddress may be given" })
      }
      const filter = filters.find((name) => query[name] !== undefined)
      if (filter !== undefined) {
        return yield* new BadRequest({
          message: `${filter} is for listings: leave it out of a query by id, orderId, txHash or depositAddress`
        })
      }
      const found = yield* find(query)
      return { requests: found.slice(0, query.limit).map(requestRow) }
    })

    const list = Effect.fnUntraced(function*({ continuation, limit, sponsored, status, user }: RequestsQuery) {
      const { id } = yield* listingKey
      const page = yield* history.page(id, {
        limit: limit ?? USUAL_LIMIT,
        ...(status === undefined ? {} : { status }),
        ...(user === undefined ? {} : { user }),
        ...(sponsored === undefined ? {} : { sponsored: sponsored === "true" }),
        ...(continuation === undefined ? {} : { continuation })
      })
      return {
        requests: page.requests.map(requestRow),
        ...(page.continuation === undefined ? {} : { continuation: page.continuation })
      }
    })

    const requests = Effect.fn("http.requests")(
      function*({ query }: { readonly query: RequestsQuery }) {
        // On queries that need no key, a key is ignored, valid or not.
        const isLookUp = lookups.some((name) => query[name] !== undefined)
        return isLookUp ? yield* lookUp(query) : yield* list(query)
      },
      Effect.mapError(onTheWire)
    )

    const requestsV2 = ({ query: { hash, ...query } }: { readonly query: RequestsQueryV2 }) =>
      requests({ query: hash === undefined ? query : { ...query, txHash: hash } })

    const requestsMetadata = Effect.fn("http.requestsMetadata")(
      function*({ payload }: { readonly payload: { readonly requestId: RequestId } }) {
        const known = yield* statuses.find(payload.requestId)
        return known === undefined
          ? yield* new BadRequest({ message: "requestId: no request has this id" })
          : { message: "the request is known; its metadata is not kept" }
      },
      Effect.catchTag("StoreUnavailable", ({ message }) => Effect.fail(new Unavailable({ message })))
    )

    const requestsSummary = Effect.fn("http.requestsSummary")(
      function*(
        { query }: { readonly query: { readonly from?: string; readonly to?: string; readonly period?: PeriodKind } }
      ) {
        const { id } = yield* listingKey
        const asked = { ...query, period: query.period ?? "day" }
        const { from, periods, to, total } = yield* history.summary(id, asked)
        return {
          from,
          to,
          period: asked.period,
          total: wireTotals(total),
          periods: periods.map(({ period, ...totals }) => ({ period, ...wireTotals(totals) }))
        } satisfies SummaryAnswer
      },
      Effect.mapError(onTheWire)
    )

    return handlers.handleAll({ requests, requestsV2, requestsMetadata, requestsSummary })
  })
).pipe(Layer.provide(inputErrors))
