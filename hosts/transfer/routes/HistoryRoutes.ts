/** GET /requests by id, order id or transaction (spec/3 §10); a listing needs a key. */
import { Effect, Layer, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Hex32FromString } from "../../../src/domain/chain/Hex.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { KnownKeys } from "../../../src/services/KnownKeys.ts"
import { Statuses } from "../../../src/services/Statuses.ts"
import type { KnownTransfer } from "../../../src/services/Statuses.ts"
import type { RequestRow } from "../api/HistoryApi.ts"
import { BadRequest, QuoteUnauthorized, Unavailable } from "../api/QuoteErrors.ts"
import { TransferApi } from "../api/TransferApi.ts"
import { pathOfErrorPage } from "../ErrorPages.ts"
import { identify } from "./ApiKey.ts"
import { inTransaction, outTransaction, refundRow, sendTransactions } from "./Rows.ts"
import { inputErrors } from "./StatusRoutes.ts"

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

const requestRow = ({ appFees, deposits, feeSponsorship, payments, refunds, send, transfer }: KnownTransfer): RequestRow => ({
  id: transfer.id,
  status: transfer.status,
  user: transfer.terms.user,
  recipient: transfer.terms.recipient,
  createdAt: iso(transfer.quotedAt),
  updatedAt: iso(transfer.updatedAt),
  referrer: transfer.terms.referrer ?? null,
  data: {
    inTxs: [...deposits.map(inTransaction), ...sendTransactions(send, transfer)],
    outTxs: [...payments.map(outTransaction), ...sendTransactions(send, transfer)],
    refunds: refunds.map(refundRow),
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

const needsKey = new QuoteUnauthorized({
  message: "a listing of requests needs an x-api-key; a query by id, orderId or txHash needs none",
  errorCode: "UNAUTHORIZED",
  statusCode: 401,
  retryable: false,
  docs: pathOfErrorPage("UNAUTHORIZED")
})

export const layer = HttpApiBuilder.group(TransferApi, "history", Effect.fn(function*(handlers) {
  const statuses = yield* Statuses
  const keys = yield* KnownKeys

  interface Query {
    readonly id?: string
    readonly orderId?: string
    readonly txHash?: string
  }

  const find = Effect.fnUntraced(function*({ id, orderId, txHash }: Query) {
    if ([id, orderId, txHash].filter((each) => each !== undefined).length > 1) {
      return yield* new BadRequest({ message: "only one of id, orderId and txHash may be given" })
    }
    if (id !== undefined) {
      const known = yield* statuses.find(yield* parsed(RequestId, "id", id.toLowerCase()))
      return known === undefined ? [] : [known]
    }
    if (orderId !== undefined) {
      const order = yield* parsed(Hex32FromString, "orderId", orderId)
      const known = yield* statuses.findByOrder(OrderId.make(order))
      return known === undefined ? [] : [known]
    }
    return txHash === undefined ? yield* needsKey : yield* statuses.findByTransaction(txHash)
  })

  const requests = Effect.fn("http.requests")(
    function*({ headers, query }: { readonly headers: { readonly "x-api-key"?: string }; readonly query: Query }) {
      const isFollowUp = query.id !== undefined || query.orderId !== undefined || query.txHash !== undefined
      // On queries that need no key one is ignored, whatever it is.
      if (!isFollowUp) yield* identify(keys, headers)
      const found = yield* find(query)
      return { requests: found.map(requestRow) }
    },
    Effect.mapError((error) => error._tag === "StoreUnavailable" ? new Unavailable({ message: error.message }) : error)
  )

  return handlers.handleAll({ requests })
})).pipe(Layer.provide(inputErrors))
