/** The quote response (QUOTE-1), member by member. A member that does not apply is absent, never invented. */
import * as Schema from "effect/Schema"
import { Order } from "../../order/Order.ts"
import { WireDetails } from "./Details.ts"
import { WireFeeSponsorship } from "./FeeSponsorship.ts"
import { Step } from "./Step.ts"
import { WireAmount } from "./WireAmount.ts"

/** The `fees` of a quote. */
export const WireFees = Schema.Struct({
  gas: WireAmount.annotate({
    description: "what the user's own wallet pays for the steps, in the origin's native currency; informational"
  }),
  relayer: WireAmount.annotate({ description: "execution + swap + service + rent = relayerGas + relayerService" }),
  relayerGas: WireAmount.annotate({
    description: "gas of the destination, and of the origin when the request is gasless or by a deposit address"
  }),
  relayerService: WireAmount,
  app: WireAmount.annotate({ description: "the sum of appFees" }),
  subsidized: WireAmount.annotate({ description: "the part of the fees that the sponsor pays" })
}).annotate({ description: "totals in the origin currency, whoever pays them; all six always" })

/** The order, its id and its signature, for clients that verify them. */
export const WireProtocol = Schema.Struct({
  v2: Schema.Struct({
    orderId: Schema.String.annotate({ description: "EIP-712 struct hash of orderData" }),
    hubType: Schema.Literal("onchain"),
    orderData: Schema.toEncoded(Order),
    orderSignature: Schema.String.annotate({ description: "EIP-191 by the solver over the 32 bytes of orderId" }),
    paymentDetails: Schema.Struct({
      chainId: Schema.String.annotate({ description: "the origin's slug" }),
      depository: Schema.String,
      currency: Schema.String,
      amount: Schema.String
    }).annotate({ description: "what has to be deposited where: input 0 of the order" })
  })
}).annotate({ description: "the order and its signature, with includeProtocolData" })
export type WireProtocol = typeof WireProtocol.Type

/** The answer to `POST /quote`. Amounts are decimal strings in smallest units. */
export const Quote = Schema.Struct({
  steps: Schema.Array(Step),
  fees: WireFees,
  feeSponsorship: Schema.optionalKey(WireFeeSponsorship.annotate({ description: "with subsidizeFees only" })),
  details: WireDetails,
  protocol: Schema.optionalKey(WireProtocol)
})
export type Quote = typeof Quote.Type
