/**
 * What a signature item asks a wallet to sign, and where the signature is posted (STEP-7).
 *
 * `post.body` is posted unchanged; the signature goes into the query. Permits and nonce mappings are typed data
 * (eip712).
 */
import * as Schema from "effect/Schema"

const Eip191 = Schema.Struct({
  signatureKind: Schema.Literal("eip191"),
  message: Schema.String
})

const Eip712 = Schema.Struct({
  signatureKind: Schema.Literal("eip712"),
  domain: Schema.Record(Schema.String, Schema.Unknown),
  types: Schema.Record(Schema.String, Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String }))),
  primaryType: Schema.String,
  value: Schema.Record(Schema.String, Schema.Unknown)
})

/** What a signature step asks a wallet to sign (EIP-712 or EIP-191), and where the signature is posted. */
export const SignatureData = Schema.Struct({
  sign: Schema.Union([Eip191, Eip712]),
  post: Schema.Struct({
    endpoint: Schema.String,
    method: Schema.Literal("POST"),
    body: Schema.Record(Schema.String, Schema.Unknown)
  })
})
export type SignatureData = typeof SignatureData.Type
