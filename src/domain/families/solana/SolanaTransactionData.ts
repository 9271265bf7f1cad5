/** What a wallet of Solana signs (STEP-6). A shape only: the adapter builds it, and the family's `stepVerifier` checks it. */
import * as Schema from "effect/Schema"

/** What a Solana wallet signs. */
export const SolanaTransactionData = Schema.Struct({
  instructions: Schema.Array(Schema.Struct({
    keys: Schema.Array(Schema.Struct({ pubkey: Schema.String, isSigner: Schema.Boolean, isWritable: Schema.Boolean })),
    programId: Schema.String,
    data: Schema.String.annotate({ description: "hex without 0x" })
  })),
  addressLookupTableAddresses: Schema.Array(Schema.String),
  feePayer: Schema.optionalKey(
    Schema.String.annotate({ description: "depositFeePayer, whose signature is needed first; else the user" })
  )
}).annotate({ description: "solana-vm" })
export type SolanaTransactionData = typeof SolanaTransactionData.Type
