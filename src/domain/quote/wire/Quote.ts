/** The quote response (spec/1 §2.3, spec/3 §3a), member by member. A member that does not apply is absent, never invented. */
import * as Schema from "effect/Schema"
import { Order } from "../../order/Order.ts"
import { Step } from "./Step.ts"
import { WireAmount } from "./WireAmount.ts"

export const WireFees = Schema.Struct({
  gas: WireAmount,
  relayer: WireAmount,
  relayerGas: WireAmount,
  relayerService: WireAmount,
  app: WireAmount,
  subsidized: WireAmount
})

export const Impact = Schema.Struct({ usd: Schema.String, percent: Schema.String })

const UsdOnly = Schema.Struct({ usd: Schema.String })

/** Keys are execution, swap, the service component's configured name, app and sponsored. */
export const ExpandedPriceImpact = Schema.Record(Schema.String, UsdOnly)

const Slippage = Schema.Struct({ usd: Schema.String, value: Schema.String, percent: Schema.String })

const Leg = Schema.Struct({
  inputCurrency: WireAmount,
  outputCurrency: WireAmount,
  router: Schema.String,
  includedSwapSources: Schema.Array(Schema.String)
})

export const WireDetails = Schema.Struct({
  operation: Schema.Literals(["swap", "bridge", "send", "wrap", "unwrap"]),
  sender: Schema.String,
  recipient: Schema.String,
  currencyIn: WireAmount,
  currencyOut: WireAmount,
  refundCurrency: WireAmount,
  currencyGasTopup: WireAmount,
  totalImpact: Impact,
  swapImpact: Impact,
  expandedPriceImpact: ExpandedPriceImpact,
  rate: Schema.String,
  slippageTolerance: Schema.Struct({ total: Schema.String, origin: Slippage, destination: Slippage }),
  timeEstimate: Schema.Int,
  userBalance: Schema.String,
  isFixedRate: Schema.Boolean,
  route: Schema.Struct({ origin: Leg, destination: Leg })
})
export type WireDetails = typeof WireDetails.Type

export const WireProtocol = Schema.Struct({
  v2: Schema.Struct({
    orderId: Schema.String,
    hubType: Schema.Literal("onchain"),
    orderData: Schema.toEncoded(Order),
    orderSignature: Schema.String,
    paymentDetails: Schema.Struct({
      chainId: Schema.String,
      depository: Schema.String,
      currency: Schema.String,
      amount: Schema.String
    })
  })
})
export type WireProtocol = typeof WireProtocol.Type

export const Quote = Schema.Struct({
  steps: Schema.Array(Step),
  fees: WireFees,
  details: WireDetails,
  protocol: Schema.optionalKey(WireProtocol)
})
export type Quote = typeof Quote.Type
