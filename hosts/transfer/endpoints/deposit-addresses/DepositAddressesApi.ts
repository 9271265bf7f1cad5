/** POST /transactions/deposit-address/reindex (REINDEX-1) and GET /deposit-addresses (ADDRESS-13): definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { BodyTooLarge, UnsupportedMediaType } from "../../../http/BodyErrors.ts"
import { Conflict, Defect, idempotencyHeader, readErrors } from "../CommonErrors.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

const message = Schema.String

/** The address belongs to another key, or the key is unknown. */
export class Forbidden
  extends Schema.Error<Forbidden>("Forbidden")({ _tag: Schema.tagDefaultOmit("Forbidden"), message }, {
    httpApiStatus: 403
  })
{}

export class NoSuchAddress extends Schema.Error<NoSuchAddress>("NoSuchAddress")(
  { _tag: Schema.tagDefaultOmit("NoSuchAddress"), message },
  { httpApiStatus: 404 }
) {}

/** Reindexed less than a minute ago, or too many requests from the client address. Retry-After says when to retry. */
export class TooSoon
  extends Schema.Error<TooSoon>("TooSoon")({ _tag: Schema.tagDefaultOmit("TooSoon"), message }, { httpApiStatus: 429 })
{}

const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128))

export const ReindexRequest = Schema.Struct({
  chainId: ChainId.annotate({ description: "chain that the deposit address was registered on" }),
  depositAddress: Text.annotate({ description: "the deposit address to look at again" }),
  sweep: Schema.optionalKey(
    Schema.Boolean.annotate({ deprecated: true, description: "no longer supported: accepted, and without effect" })
  ),
  targetChainId: Schema.optionalKey(ChainId.annotate({
    description: "chain to look on when the funds landed on another one of the same kind; chainId when left out"
  })),
  currency: Schema.optionalKey(
    Text.annotate({ description: "address of one currency; every depositable currency of the chain when left out" })
  )
}).annotate({ identifier: "ReindexRequest" })
export type ReindexRequest = typeof ReindexRequest.Type

export const ReindexAnswer = Schema.Struct({
  message: Schema.String.annotate({ description: "for people" }),
  triggeredCurrencies: Schema.Array(Schema.Struct({
    currency: Schema.String,
    symbol: Schema.String,
    balance: Schema.String.annotate({ description: "smallest unit" })
  })).annotate({ description: "what lies at the address; message says what of it is not worth its gas and waits" }),
  checkedCurrencies: Schema.Int.annotate({ description: "balances that were read" }),
  failedCurrencies: Schema.Int.annotate({ description: "balances that could not be read" })
}).annotate({ identifier: "ReindexAnswer" })
export type ReindexAnswer = typeof ReindexAnswer.Type

export const DepositAddressRow = Schema.Struct({
  depositAddress: Schema.String,
  type: Schema.Literals(["open", "strict"]),
  requestId: Schema.String.annotate({
    description: "the request that it was quoted with; GET /requests?depositAddress= lists all"
  }),
  chainId: Schema.Int,
  createdAt: Schema.String.annotate({ description: "ISO 8601" }),
  currency: Schema.String.annotate({ description: "what it was quoted for" }),
  refundTo: Schema.NullOr(Schema.String.annotate({ description: "where what no request claims goes; null: it waits" }))
}).annotate({ identifier: "DepositAddress" })
export type DepositAddressRow = typeof DepositAddressRow.Type

const query = {
  chainId: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[1-9][0-9]{0,15}$/u, { expected: "the number of a chain" })).annotate({
      description: "with address"
    })
  ),
  address: Schema.optionalKey(Text.annotate({ description: "with chainId" })),
  requestId: Schema.optionalKey(RequestId.annotate({ description: "alone" }))
}
export type DepositAddressQuery = Schema.Struct<typeof query>["Type"]

export const DepositAddressesApi = HttpApiGroup.make("depositAddresses").add(
  HttpApiEndpoint.post("reindex", "/transactions/deposit-address/reindex", {
    headers: {
      ...idempotencyHeader,
      "x-api-key": Schema.optionalKey(
        Schema.String.annotate({ description: "the key that the address was quoted under, if any" })
      )
    },
    payload: ReindexRequest,
    success: ReindexAnswer,
    error: [
      BadRequest,
      Forbidden,
      NoSuchAddress,
      TooSoon,
      Unavailable,
      Defect,
      Conflict,
      BodyTooLarge,
      UnsupportedMediaType
    ]
  }).annotateMerge(OpenApi.annotations({
    identifier: "reindexDepositAddress",
    summary: "Check a deposit address again",
    description: [
      "For funds that were not picked up: balances are read, and what lies there is swept. Once a minute for an address and a chain.",
      "The quoted currency becomes a deposit of the address; any other goes back to refundTo, else to recoveryAddress. Error bodies hold a message and nothing else."
    ].join(" ")
  })),
  HttpApiEndpoint.get("depositAddress", "/deposit-addresses", {
    query,
    success: DepositAddressRow,
    error: [BadRequest, NoSuchAddress, Unavailable, ...readErrors]
  }).annotateMerge(
    OpenApi.annotations({
      identifier: "getDepositAddress",
      summary: "The record of a deposit address, by its address or by a request"
    })
  )
).middleware(InputErrors)
