/** Wallets of keys (KEY-3): definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ApiKeyId } from "../../../../src/domain/api-key/ApiKey.ts"
import { MAX_SIGN_IN_LENGTH } from "../../../../src/domain/api-key/SignInMessage.ts"
import { signInReasons } from "../../../../src/domain/api-key/SignInRefused.ts"
import { EthereumAddress } from "../../../../src/domain/chain/Address.ts"
import { HexFromString } from "../../../../src/domain/encoding/Hex.ts"
import { bodyErrors, Defect, idempotencyHeader, readErrors } from "../CommonErrors.ts"
import { BadRequest, QuoteUnauthorized, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

/** A refused signed message. It changes nothing. */
export class SignInBadRequest extends Schema.Error<SignInBadRequest>("SignInBadRequest")({
  _tag: Schema.tagDefaultOmit("SignInBadRequest"),
  message: Schema.String,
  errorCode: Schema.Literals(signInReasons),
  docs: Schema.String
}, { httpApiStatus: 400 }) {}

const wallet = EthereumAddress.annotate({ description: "an account or a contract of the settlement chain" })

export const ChallengeRequest = Schema.Union([
  Schema.Struct({
    wallet,
    action: Schema.optionalKey(
      Schema.Literal("link").annotate({ description: "the default: under the key that is to be linked" })
    )
  }),
  Schema.Struct({
    wallet,
    action: Schema.Literal("unlink"),
    apiKeyId: Schema.optionalKey(
      ApiKeyId.annotate({ description: "the one key to unlink; all of the wallet's when left out" })
    )
  })
]).annotate({ identifier: "ChallengeRequest" })
export type ChallengeRequest = typeof ChallengeRequest.Type

export const ChallengeAnswer = Schema.Struct({
  message: Schema.String.annotate({
    description: "EIP-4361: to be signed as it is (personal_sign), and sent back as it is"
  }),
  expiresAt: Schema.String.annotate({ description: "ISO 8601, five minutes from now" })
}).annotate({ identifier: "Challenge" })

/** Wallets with many owners have long signatures, but not this long. */
const MAX_SIGNATURE_LENGTH = 16_386

export const SignedMessage = Schema.Struct({
  message: Schema.String.check(Schema.isMaxLength(MAX_SIGN_IN_LENGTH)).annotate({
    description: "as the challenge gave it"
  }),
  signature: Schema.String.check(Schema.isMaxLength(MAX_SIGNATURE_LENGTH)).pipe(Schema.decodeTo(HexFromString))
    .annotate({ description: "0x and hex digits: of an account, or what its contract takes (EIP-1271)" })
}).annotate({ identifier: "SignedMessage" })

export const LinkedKey = Schema.Struct({
  id: Schema.String,
  label: Schema.String,
  wallet: Schema.NullOr(Schema.String)
}).annotate({ identifier: "LinkedKey" })

const optionalKey = { "x-api-key": Schema.optionalKey(Schema.String) }
const needsKey = {
  "x-api-key": Schema.optionalKey(Schema.String.annotate({ description: "needed: a 401 without one" }))
}

export const WalletsApi = HttpApiGroup.make("wallets").add(
  HttpApiEndpoint.post("challenge", "/api-keys/wallets/challenge", {
    headers: { ...idempotencyHeader, ...optionalKey },
    payload: ChallengeRequest,
    success: ChallengeAnswer,
    error: [BadRequest, QuoteUnauthorized, Unavailable, Defect, ...bodyErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "createWalletChallenge",
    summary: "A message for a wallet to sign",
    description:
      "To link, under the key that is to spend the wallet's app balance. To unlink no key is needed: the wallet decides alone."
  })),
  HttpApiEndpoint.post("link", "/api-keys/wallets", {
    headers: { ...idempotencyHeader, ...needsKey },
    payload: SignedMessage,
    success: LinkedKey,
    error: [SignInBadRequest, BadRequest, QuoteUnauthorized, Unavailable, Defect, ...bodyErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "linkWallet",
    summary: "Link the wallet that signed to the key",
    description:
      "In place of any other: a key has at most one wallet, a wallet may serve several keys. A message can be used once, within five minutes, under the key that it was made for."
  })),
  HttpApiEndpoint.delete("unlink", "/api-keys/wallets", {
    headers: needsKey,
    success: LinkedKey,
    error: [BadRequest, QuoteUnauthorized, Unavailable, ...readErrors]
  }).annotateMerge(OpenApi.annotations({ identifier: "unlinkWallet", summary: "Take its wallet from the key" })),
  HttpApiEndpoint.post("unlinkSigned", "/api-keys/wallets/unlink", {
    headers: idempotencyHeader,
    payload: SignedMessage,
    success: Schema.Struct({
      unlinked: Schema.Array(Schema.String).annotate({ description: "ids of the keys that had this wallet" })
    }),
    error: [SignInBadRequest, BadRequest, Unavailable, Defect, ...bodyErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "unlinkWalletSigned",
    summary: "Unlink a wallet",
    description: "By a message that the wallet signed, without any key: from one key or from all."
  }))
).middleware(InputErrors)
