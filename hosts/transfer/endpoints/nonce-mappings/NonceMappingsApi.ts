/** Nonce mappings of exchange A (EXCHANGEA-4, EXCHANGEA-5): definition only. */
import { Schema, SchemaTransformation } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EthereumAddress } from "../../../../src/domain/chain/Address.ts"
import { ChainId, ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { Hex32FromString, HexFromString } from "../../../../src/domain/encoding/Hex.ts"
import { bodyErrors, Defect, idempotencyHeader, readErrors } from "../CommonErrors.ts"
import { NotFound } from "../pauses/PausesApi.ts"
import { BadRequest, QuoteUnauthorized, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

/** At most 65 bytes: wallets of the exchange are accounts with a key. */
const Signature = Schema.String.check(Schema.isMaxLength(132)).pipe(Schema.decodeTo(HexFromString))

const digits = Schema.String.check(Schema.isPattern(/^(?:0|[1-9][0-9]{0,77})$/, { expected: "digits only" }))
const NonceText = digits.pipe(
  Schema.decodeTo(
    Schema.BigInt,
    SchemaTransformation.transform({ decode: (text) => BigInt(text), encode: (nonce: bigint) => nonce.toString() })
  )
)
const Whole = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

export const MappingBody = Schema.Struct({
  type: Schema.Literal("nonce-mapping"),
  walletChainId: Schema.Union([ChainSlug, ChainId]).annotate({
    description:
      "the exchange's chain: its slug, which is what is signed, or its number where this service has the chain"
  }),
  wallet: EthereumAddress,
  depositor: EthereumAddress.annotate({ description: "the same account" }),
  nonce: Schema.Union([Whole, digits]).annotate({ description: "of the transfer that will follow" }),
  id: Hex32FromString.annotate({ description: "the order's" }),
  signatureChainId: Whole.annotate({ description: "the EIP-155 number of the chain that the wallet signs on" })
}).annotate({ identifier: "NonceMappingBody" })

export const MappingAnswer = Schema.Struct({ message: Schema.String }).annotate({ identifier: "NonceMappingAnswer" })

export const KeptMapping = Schema.Struct({
  walletChainId: Schema.String,
  wallet: Schema.String,
  nonce: Schema.String,
  id: Schema.String,
  signatureChainId: Schema.Int,
  signature: Schema.String,
  createdAt: Schema.String.annotate({ description: "ISO 8601" })
}).annotate({ identifier: "NonceMapping" })

export class MappingNotFound extends Schema.Error<MappingNotFound>("MappingNotFound")({
  _tag: Schema.tagDefaultOmit("MappingNotFound"),
  message: Schema.String,
  code: Schema.Literal("NONCE_MAPPING_NOT_FOUND")
}, { httpApiStatus: 404 }) {}

export const NonceMappingsApi = HttpApiGroup.make("nonceMappings").add(
  HttpApiEndpoint.post("authorize", "/authorize", {
    headers: idempotencyHeader,
    query: {
      signature: Signature.pipe(
        Schema.annotateEncoded({ description: "the wallet's, of the typed data RelayNonceMapping (version 2)" })
      )
    },
    payload: MappingBody,
    success: MappingAnswer,
    error: [BadRequest, Unavailable, Defect, ...bodyErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "authorizeNonceMapping",
    summary: "Map a transfer of exchange A to an order",
    description:
      "The exchange's transfers carry no text, so its wallet signs that the one with this nonce is for this id. The first for a wallet's nonce counts for ever; the same again is the same one. Before the transfer, or within an hour after it."
  })),
  HttpApiEndpoint.get("mapping", "/queries/nonce-mappings/:chainId/:depositor/:nonce/v1", {
    headers: { "x-api-key": Schema.optionalKey(Schema.String.annotate({ description: "needed: a 401 without one" })) },
    params: {
      chainId: ChainSlug.annotate({ description: "slug of the exchange's chain" }),
      depositor: EthereumAddress,
      nonce: NonceText.pipe(Schema.annotateEncoded({ description: "nonce of the transfer" }))
    },
    success: KeptMapping,
    error: [BadRequest, QuoteUnauthorized, MappingNotFound, NotFound, Unavailable, ...readErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "getNonceMapping",
    summary: "The mapping of a wallet's nonce",
    description: "For oracles, which verify it themselves."
  }))
).middleware(InputErrors)
