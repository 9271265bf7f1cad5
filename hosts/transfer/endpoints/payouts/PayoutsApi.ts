/**
 * Claims of app fees, withdrawals of app balances, payment of app fees that a sponsor owes, and their statement
 * (BALANCE-4): definition only.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { payoutReasons } from "../../../../src/domain/ledger/PayoutRefused.ts"
import { TransactionKind } from "../../../../src/domain/ledger/Transaction.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { Hex32FromString, HexFromString } from "../../../../src/domain/encoding/Hex.ts"
import { Uint256FromString } from "../../../../src/domain/order/Order.ts"
import { wallet } from "../app-fees/AppFeesApi.ts"
import { bodyErrors, Defect, idempotencyHeader, readErrors } from "../CommonErrors.ts"
import { NotFound } from "../pauses/PausesApi.ts"
import { BadRequest, QuoteUnauthorized, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

/** A refused claim or withdrawal. It changes nothing. */
export class PayoutBadRequest extends Schema.Error<PayoutBadRequest>("PayoutBadRequest")({
  _tag: Schema.tagDefaultOmit("PayoutBadRequest"),
  message: Schema.String,
  errorCode: Schema.Literals(payoutReasons),
  docs: Schema.String
}, { httpApiStatus: 400 }) {}

/** A key that is linked to another wallet, or to none. */
export class NotYourWallet extends Schema.Error<NotYourWallet>("NotYourWallet")({
  _tag: Schema.tagDefaultOmit("NotYourWallet"),
  message: Schema.String
}, { httpApiStatus: 403 }) {}

const AddressText = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128))

/** Wallets with many owners have long signatures, but not this long. */
const MAX_SIGNATURE_LENGTH = 16_386

export const PayoutBody = Schema.Struct({
  recipient: AddressText.annotate({ description: "an account of the settlement chain" }),
  chainId: Schema.optionalKey(ChainId.annotate({ description: "of the currency; the settlement chain when left out" })),
  currency: Schema.optionalKey(
    AddressText.annotate({ description: "the token of the settlement chain when left out" })
  ),
  amount: Uint256FromString.annotate({ description: "smallest units of the currency" }),
  nonce: Uint256FromString.annotate({ description: "a number of the wallet's own, once for each kind" }),
  deadline: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8_640_000_000_000 })).annotate({
    description: "seconds since 1970: not accepted later"
  }),
  signature: Schema.String.check(Schema.isMaxLength(MAX_SIGNATURE_LENGTH)).pipe(Schema.decodeTo(HexFromString))
    .annotate({
      description: "the wallet's, by EIP-712 or EIP-1271"
    })
}).annotate({ identifier: "PayoutBody" })
export type PayoutBody = typeof PayoutBody.Type

const PaidAmount = Schema.Struct({ chainId: Schema.Int, currency: Schema.String, amount: Schema.String })

export const PayoutRow = Schema.Struct({
  id: Schema.String.annotate({
    description: "what the wallet signed; the payment carries it at the end of its calldata"
  }),
  kind: Schema.Literals(["claim", "withdraw"]),
  status: Schema.Literals(["pending", "success", "failure"]).annotate({
    description: "success when the payment is final; after a failure the money is the wallet's again"
  }),
  wallet: Schema.String,
  recipient: Schema.String,
  nonce: Schema.String,
  taken: PaidAmount.annotate({ description: "off the wallet's app fees or balance" }),
  paid: PaidAmount.annotate({ description: "to the recipient, on the settlement chain" }),
  txHash: Schema.NullOr(Schema.String).annotate({ description: "of the payment, as soon as it is signed" }),
  createdAt: Schema.String.annotate({ description: "ISO 8601" }),
  endedAt: Schema.NullOr(Schema.String).annotate({ description: "ISO 8601" })
}).annotate({ identifier: "Payout" })
export type PayoutRow = typeof PayoutRow.Type

export const SettledRow = Schema.Struct({
  id: Schema.String.annotate({ description: "what the wallet signed" }),
  wallet: Schema.String,
  recipient: Schema.String,
  nonce: Schema.String,
  paid: PaidAmount.annotate({ description: "off the wallet's app balance, to the recipient's app fees" }),
  owed: Schema.String.annotate({
    description: "what the wallet still owes the recipient, smallest units of the same currency"
  }),
  settledAt: Schema.String.annotate({ description: "ISO 8601" })
}).annotate({ identifier: "SettledAppFees" })
export type SettledRow = typeof SettledRow.Type

export const StatementAnswer = Schema.Struct({
  entries: Schema.Array(Schema.Struct({
    id: Schema.String,
    kind: TransactionKind,
    at: Schema.String.annotate({ description: "ISO 8601" }),
    postings: Schema.Array(Schema.Struct({
      account: Schema.Literals(["balance", "held", "payout", "appFees", "appFeesOwed", "appFeesPending"]),
      chainId: Schema.Int,
      currency: Schema.String,
      amount: Schema.String.annotate({ description: "smallest units, signed" })
    }))
  })),
  continuation: Schema.optionalKey(Schema.String.annotate({ description: "for the entries before these" }))
}).annotate({ identifier: "Statement" })
export type StatementAnswer = typeof StatementAnswer.Type

const signedTypes = [
  "The wallet signs EIP-712 typed data: domain {name: \"Causeway\", version: \"1\", chainId: the settlement chain, verifyingContract: the solver}, as GET /chains names them;",
  "members address wallet, address recipient, uint256 currencyChainId, string currency (its address: of an EVM chain in lower case, of Solana as it is), uint256 amount, uint256 nonce, uint256 deadline.",
  "The same again is the same one, whoever sends it: its state is the answer."
].join(" ")

const asked = {
  headers: idempotencyHeader,
  params: { wallet },
  payload: PayoutBody,
  success: PayoutRow,
  error: [PayoutBadRequest, BadRequest, NotFound, Unavailable, Defect, ...bodyErrors]
} as const

const place = Schema.String.check(
  Schema.isPattern(/^[0-9]{1,15}:[!-~]{1,256}$/u, { expected: "what the last page named in continuation" })
)

export const PayoutsApi = HttpApiGroup.make("payouts").add(
  HttpApiEndpoint.post("claim", "/app-fees/:wallet/claim", asked).annotateMerge(OpenApi.annotations({
    identifier: "claimAppFees",
    summary: "Pay out app fees",
    description:
      `Primary type ClaimAppFees. ${signedTypes} Fees in a currency of another chain are paid in the token of the settlement chain, at the price of now.`
  })),
  HttpApiEndpoint.post("withdraw", "/app-fees/:wallet/withdraw", asked).annotateMerge(OpenApi.annotations({
    identifier: "withdrawAppBalance",
    summary: "Pay out unspent app balance",
    description:
      `Primary type WithdrawAppBalance. ${signedTypes} What is held for requests on their way cannot be withdrawn.`
  })),
  HttpApiEndpoint.post("settle", "/app-fees/:wallet/settle", { ...asked, success: SettledRow }).annotateMerge(
    OpenApi.annotations({
      identifier: "settleAppFees",
      summary: "Pay app fees that the wallet took over as a sponsor",
      description:
        `Primary type SettleAppFees: the recipient is the one that is owed, as in owed of the balances. ${signedTypes} The recipient can claim what was paid at once; nothing is sent on a chain.`
    })
  ),
  HttpApiEndpoint.get("payout", "/app-fees/:wallet/payouts/:id", {
    params: {
      wallet,
      id: Hex32FromString.pipe(
        Schema.annotateEncoded({ description: "id of the claim or withdrawal, as its answer has it" })
      )
    },
    success: PayoutRow,
    error: [BadRequest, NotFound, Unavailable, ...readErrors]
  }).annotateMerge(OpenApi.annotations({ identifier: "getPayout", summary: "The state of a claim or a withdrawal" })),
  HttpApiEndpoint.get("statement", "/app-fees/:wallet/statement", {
    params: { wallet },
    query: {
      limit: Schema.optionalKey(
        Schema.NumberFromString.pipe(Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))))
          .pipe(Schema.annotateEncoded({ description: "entries on a page, 1 to 200; 50 when left out" }))
      ),
      continuation: Schema.optionalKey(place.annotate({ description: "that of the page before" }))
    },
    headers: {
      "x-api-key": Schema.optionalKey(
        Schema.String.annotate({ description: "needed: of a key that is linked to the wallet" })
      )
    },
    success: StatementAnswer,
    error: [BadRequest, QuoteUnauthorized, NotYourWallet, NotFound, Unavailable, ...readErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "getStatement",
    summary: "Every movement of a wallet's balance and app fees, newest first"
  }))
).middleware(InputErrors)
