/**
 * What the dashboard asks beyond the public API: sessions, a wallet's keys, sponsored costs (DASH-1, DASH-4). Not
 * part of the public API: it changes with the page, and takes its cookie only.
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ApiKeyLabel } from "../../../src/domain/api-key/ApiKey.ts"
import { MAX_SIGN_IN_LENGTH } from "../../../src/domain/api-key/SignInMessage.ts"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import { bodyErrors, Defect, readErrors } from "../endpoints/CommonErrors.ts"
import { KeyRow, NewKey } from "../endpoints/keys/KeysApi.ts"
import { BadRequest, Unavailable } from "../endpoints/quote/QuoteErrors.ts"
import { InputErrors } from "../endpoints/status/StatusApi.ts"
import { ChallengeAnswer, SignedMessage, SignInBadRequest } from "../endpoints/wallets/WalletsApi.ts"

/** There is no session, or the admin token is wrong. */
export class NotSignedIn extends Schema.Error<NotSignedIn>("NotSignedIn")({
  _tag: Schema.tagDefaultOmit("NotSignedIn"),
  message: Schema.String
}, { httpApiStatus: 401 }) {}

export const SessionRow = Schema.Struct({
  signedIn: Schema.NullOr(Schema.Literals(["operator", "wallet"])),
  wallet: Schema.NullOr(Schema.String),
  /** Sent back as x-dashboard-csrf with every change. */
  csrf: Schema.NullOr(Schema.String),
  /** ISO 8601. */
  expiresAt: Schema.NullOr(Schema.String),
  /** Whether operators can sign in here at all. */
  operators: Schema.Boolean
})
export type SessionRow = typeof SessionRow.Type

export const WalletKeyRow = Schema.Struct({
  ...KeyRow.fields,
  role: Schema.Literals(["owner", "payer"])
})
export type WalletKeyRow = typeof WalletKeyRow.Type

const Micros = Schema.String.annotate({ description: "USDC with 6 decimals" })

export const CostsAnswer = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  /** False when only the newest requests of the span are summed up. */
  complete: Schema.Boolean,
  total: Micros,
  costs: Schema.Array(Schema.Struct({
    day: Schema.String,
    apiKeyId: Schema.String,
    originChainId: Schema.Int,
    destinationChainId: Schema.Int,
    requests: Schema.Int,
    captured: Micros,
    components: Schema.Record(Schema.String, Micros)
  }))
})

const Day = Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/, { expected: "a day such as 2026-11-21" }))

/** An admin token is shorter. */
const MAX_TOKEN_LENGTH = 1_024

const writing = [BadRequest, NotSignedIn, Unavailable, Defect, ...bodyErrors] as const
const reading = [BadRequest, NotSignedIn, Unavailable, ...readErrors] as const

const group = HttpApiGroup.make("dashboard").add(
  HttpApiEndpoint.get("session", "/dashboard/session", { success: SessionRow, error: reading }),
  HttpApiEndpoint.post("signInOperator", "/dashboard/session/operator", {
    payload: Schema.Struct({ token: Schema.String.check(Schema.isMaxLength(MAX_TOKEN_LENGTH)) }),
    success: SessionRow,
    error: writing
  }),
  HttpApiEndpoint.post("challenge", "/dashboard/session/challenge", {
    payload: Schema.Struct({ wallet: EthereumAddress }),
    success: ChallengeAnswer,
    error: writing
  }),
  HttpApiEndpoint.post("signInWallet", "/dashboard/session/wallet", {
    payload: Schema.Struct({
      ...SignedMessage.fields,
      message: Schema.String.check(Schema.isMaxLength(MAX_SIGN_IN_LENGTH))
    }),
    success: SessionRow,
    error: [SignInBadRequest, ...writing]
  }),
  HttpApiEndpoint.post("signOut", "/dashboard/session/end", { success: SessionRow, error: writing }),
  HttpApiEndpoint.get("keys", "/dashboard/keys", {
    success: Schema.Struct({ keys: Schema.Array(WalletKeyRow) }),
    error: reading
  }),
  HttpApiEndpoint.post("createKey", "/dashboard/keys", {
    payload: Schema.Struct({ label: ApiKeyLabel }),
    success: NewKey,
    error: writing
  }),
  HttpApiEndpoint.get("costs", "/dashboard/costs", {
    query: { from: Schema.optionalKey(Day), to: Schema.optionalKey(Day) },
    success: CostsAnswer,
    error: reading
  })
).middleware(InputErrors)

export const DashboardApi = HttpApi.make("causeway-dashboard").add(group)
