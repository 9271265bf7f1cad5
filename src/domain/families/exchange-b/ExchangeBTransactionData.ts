/** What a client of exchange B sends (STEP-6). A shape only: the adapter builds it, and the family's `stepVerifier` checks it. */
import * as Schema from "effect/Schema"

const Route = Schema.Int.annotate({ description: "0: perps, 1: spot" })

/**
 * The transfer that an account of exchange B makes by a client of the exchange, which signs it with an API key and the
 * owner's Ethereum account.
 */
export const ExchangeBTransactionData = Schema.Struct({
  action: Schema.Struct({
    type: Schema.Literal("transfer"),
    parameters: Schema.Struct({
      toAccountIndex: Schema.Int,
      assetIndex: Schema.Int,
      fromRouteType: Route,
      toRouteType: Route,
      amount: Schema.Int.annotate({ description: "smallest units, a JSON number" }),
      usdcFee: Schema.Int.annotate({ description: "the exchange's fee, smallest units of USDC" }),
      memo: Schema.String.annotate({ description: "0x and the order's id" })
    })
  })
}).annotate({ description: "exchangeb-vm" })
export type ExchangeBTransactionData = typeof ExchangeBTransactionData.Type
