/** What an account of exchange A signs (STEP-6). A shape only: the adapter builds it, and the family's `stepVerifier` checks it. */
import * as Schema from "effect/Schema"

const Milliseconds = Schema.Int.annotate({ description: "a time in milliseconds" })

/**
 * What an account of exchange A signs, and posts to the exchange itself: the parameters with `type` and
 * `signatureChainId`, the number of the EVM chain that its wallet is on.
 */
export const ExchangeATransactionData = Schema.Struct({
  action: Schema.Struct({
    type: Schema.Literal("sendAsset"),
    parameters: Schema.Struct({
      hyperliquidChain: Schema.Literals(["Mainnet", "Testnet"]),
      destination: Schema.String,
      sourceDex: Schema.String.annotate({ description: "empty for USDC perps, \"spot\", or the name of a perps dex" }),
      destinationDex: Schema.String,
      token: Schema.String.annotate({ description: "its name, a colon, its id" }),
      amount: Schema.String.annotate({ description: "a decimal" }),
      fromSubAccount: Schema.Literal(""),
      nonce: Milliseconds
    })
  }),
  nonce: Milliseconds,
  eip712Types: Schema.Record(Schema.String, Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String }))),
  eip712PrimaryType: Schema.String
}).annotate({ description: "exchangea-vm; the nonce is that of the step `authorize`" })
export type ExchangeATransactionData = typeof ExchangeATransactionData.Type
