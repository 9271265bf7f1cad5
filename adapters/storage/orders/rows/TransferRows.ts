/** Transfers as rows of their table. Their three large texts are decoded once a request where a reader polls. */
import { Effect, Schema } from "effect"
import { ApiKeyId } from "../../../../src/domain/api-key/ApiKey.ts"
import { Order, OrderId } from "../../../../src/domain/order/Order.ts"
import { Quote } from "../../../../src/domain/quote/wire/Quote.ts"
import { quoteText } from "../../../../src/domain/quote/wire/QuoteText.ts"
import { FailReason } from "../../../../src/domain/transfer/FailReason.ts"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { Status } from "../../../../src/domain/transfer/Status.ts"
import { TransferTerms } from "../../../../src/domain/transfer/Transfer.ts"
import type { Transfer } from "../../../../src/domain/transfer/Transfer.ts"
import { makeDecodeCache } from "../../DecodeCache.ts"
import { JsonText, Millis } from "../../engine/Columns.ts"
import { plainJson } from "../../PlainJson.ts"

/** Columns that are never written again. */
const OrderText = JsonText(Order)
export const TermsText = JsonText(TransferTerms)
const QuoteText = JsonText(Quote)

const Row = Schema.Struct({
  id: RequestId,
  order_id: OrderId,
  order_json: Schema.String,
  order_signature: Schema.String,
  terms: Schema.String,
  quote: Schema.String,
  api_key_id: Schema.NullOr(ApiKeyId),
  quoted_at: Millis,
  status: Status,
  fail_reason: Schema.NullOr(FailReason),
  updated_at: Millis
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

/** How the three large texts of a row are decoded. */
interface Texts {
  readonly order: (id: string, text: string) => Effect.Effect<Order, Schema.SchemaError>
  readonly terms: (id: string, text: string) => Effect.Effect<TransferTerms, Schema.SchemaError>
  readonly quote: (id: string, text: string) => Effect.Effect<Quote, Schema.SchemaError>
}

const decodeOrder = Schema.decodeUnknownEffect(OrderText)
const decodeTerms = Schema.decodeUnknownEffect(TermsText)
const decodeQuote = Schema.decodeUnknownEffect(QuoteText)

const eachTime: Texts = {
  order: (_, text) => decodeOrder(text),
  terms: (_, text) => decodeTerms(text),
  quote: (_, text) => decodeQuote(text)
}

/** Of requests that are looked at now: some ten kilobytes each, without calldata. */
const REMEMBERED = { rows: 1_000, characters: 8 * 1024 * 1024 }

const onceEach = (): Texts => ({
  order: makeDecodeCache(decodeOrder, REMEMBERED),
  terms: makeDecodeCache(decodeTerms, REMEMBERED),
  quote: makeDecodeCache(decodeQuote, REMEMBERED)
})

const toTransfer = Effect.fnUntraced(function*(texts: Texts, row: typeof Row.Type) {
  return {
    id: row.id,
    orderId: row.order_id,
    order: yield* texts.order(row.id, row.order_json),
    orderSignature: row.order_signature,
    terms: yield* texts.terms(row.id, row.terms),
    quote: yield* texts.quote(row.id, row.quote),
    ...(row.api_key_id === null ? {} : { apiKeyId: row.api_key_id }),
    quotedAt: row.quoted_at,
    status: row.status,
    failReason: row.fail_reason,
    updatedAt: row.updated_at
  } satisfies Transfer
})

const decodeWith = (texts: Texts) => (rows: ReadonlyArray<unknown>) =>
  Effect.flatMap(decodeRows(rows), (decoded) => Effect.forEach(decoded, (row) => toTransfer(texts, row)))

/** Rows of the table as transfers: a row that does not decode is a defect of the store. */
export const decodeTransfers = decodeWith(eachTime)

/** The same, each text decoded once while its row stays the same: for requests that are polled. */
export const makeDecodeTransfers = () => decodeWith(onceEach())

/** A transfer as the columns of its row. The texts are those that the columns' schemas encode. */
export const transferRow = (transfer: Transfer) => ({
  id: transfer.id,
  order_id: transfer.orderId,
  order_json: plainJson(transfer.order),
  order_signature: transfer.orderSignature,
  terms: plainJson(transfer.terms),
  quote: quoteText(transfer.quote),
  api_key_id: transfer.apiKeyId ?? null,
  quoted_at: transfer.quotedAt,
  status: transfer.status,
  fail_reason: transfer.failReason,
  updated_at: transfer.updatedAt
} satisfies typeof Row.Encoded)
