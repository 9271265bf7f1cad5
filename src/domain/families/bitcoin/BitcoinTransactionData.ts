/** What a wallet of Bitcoin signs (STEP-6). A shape only: the adapter builds it, and the family's `stepVerifier` checks it. */
import * as Schema from "effect/Schema"

/** What a Bitcoin wallet signs. */
export const BitcoinTransactionData = Schema.Struct({
  psbt: Schema.String.annotate({
    description: "hex; empty at a deposit address that the user's own coins do not pay: anybody can pay it"
  })
}).annotate({ description: "bitcoin-vm" })
export type BitcoinTransactionData = typeof BitcoinTransactionData.Type
