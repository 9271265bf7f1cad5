/** App balances and app fees of a wallet (BALANCE-3): definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { readErrors } from "../CommonErrors.ts"
import { NotFound } from "../pauses/PausesApi.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

/** An amount without its currency's metadata. */
export const PlainAmount = Schema.Struct({
  currency: Schema.Struct({
    chainId: Schema.Int,
    address: Schema.String,
    symbol: Schema.String,
    name: Schema.String,
    decimals: Schema.Int
  }),
  amount: Schema.String,
  amountFormatted: Schema.String,
  amountUsd: Schema.String,
  minimumAmount: Schema.String
}).annotate({ identifier: "PlainAmount" })
export type PlainAmount = typeof PlainAmount.Type

export const BalanceAnswer = Schema.Struct({
  ...PlainAmount.fields,
  balances: Schema.Array(PlainAmount).annotate({
    description:
      "everything that is the wallet's, each currency once, that of the settlement chain first: app balance and app fees together"
  }),
  totalBalanceUsd: Schema.String.annotate({ description: "of balances" }),
  availableBalanceUsd: Schema.String.annotate({
    description: "of balances, less what is held for requests on their way"
  }),
  claimable: Schema.Array(PlainAmount).annotate({
    description: "app fees that POST /app-fees/{wallet}/claim pays out"
  }),
  pending: Schema.Array(PlainAmount).annotate({
    description: "app fees that a sponsor took over and has not paid: the wallet's when it has, and not before"
  }),
  owed: Schema.Array(
    Schema.Struct({
      ...PlainAmount.fields,
      recipient: Schema.String.annotate({ description: "to whom: what POST /app-fees/{wallet}/settle names" })
    }).annotate({ identifier: "OwedAppFees" })
  ).annotate({ description: "app fees that the wallet took over as a sponsor and has not paid" })
}).annotate({ identifier: "AppBalance" })
export type BalanceAnswer = typeof BalanceAnswer.Type

export const wallet = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128)).annotate({
  description: "an account of the settlement chain"
})

/** 404, because a text longer than any wallet matches no path of this API. */
const errors = [BadRequest, NotFound, Unavailable, ...readErrors] as const

export const AppFeesApi = HttpApiGroup.make("appFees").add(
  HttpApiEndpoint.get("balances", "/app-fees/:wallet/balances", {
    params: { wallet },
    success: BalanceAnswer,
    error: errors
  })
    .annotateMerge(OpenApi.annotations({
      identifier: "getAppBalance",
      summary: "The app balance of a wallet",
      description:
        "The amount at top level is the app balance, with what is held of it; balances are app balance and app fees. No key is needed; a wallet that nobody has credited has zero."
    }))
).middleware(InputErrors)
