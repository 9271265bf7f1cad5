/** The summary of a quote (QUOTE-2). Percents are signed with two decimals, dollars with six. */
import * as Schema from "effect/Schema"
import { WireAmount } from "./WireAmount.ts"

const Impact = Schema.Struct({ usd: Schema.String, percent: Schema.String })

const UsdOnly = Schema.Struct({ usd: Schema.String })

const Slippage = Schema.Struct({ usd: Schema.String, value: Schema.String, percent: Schema.String })

const Leg = Schema.Struct({
  inputCurrency: WireAmount,
  outputCurrency: WireAmount,
  router: Schema.String,
  includedSwapSources: Schema.Array(Schema.String)
})

/** The `details` of a quote. */
export const WireDetails = Schema.Struct({
  operation: Schema.Literals(["swap", "bridge", "send", "wrap", "unwrap"]),
  sender: Schema.String,
  recipient: Schema.String,
  currencyIn: WireAmount,
  currencyOut: WireAmount.annotate({
    description: "minimumAmount is the least that is delivered; below it the deposit is refunded"
  }),
  refundCurrency: WireAmount.annotate({
    description:
      "what a refund would pay now, before its gas; minimumAmount is the least that a refund of the quoted deposit on the origin pays: what is between the two bounds its gas, and, with txs or a recipient whose code the fill runs, the gas of one fill that reverts"
  }),
  refundOnDestination: Schema.optionalKey(WireAmount.annotate({
    description:
      "what the recipient gets where the order ends as its refund on the destination instead of its fill: the fallback of useFallbacks, or a part of the amount, or late; amount is what the order pays, and minimumAmount the least that such a refund of the quoted deposit pays; absent with refundOnOrigin"
  })),
  currencyGasTopup: WireAmount.annotate({
    description: "the destination's native currency that is delivered on top; zero without topupGas"
  }),
  totalImpact: Impact.annotate({ description: "value out less value in" }),
  swapImpact: Impact.annotate({
    description: "what the exchange costs, no fees, whoever pays it: expandedPriceImpact.swap, in percent of currencyIn"
  }),
  expandedPriceImpact: Schema.Record(Schema.String, UsdOnly).annotate({
    description:
      "minus what each component costs, whoever pays it: execution, swap, the service component's name and app, which with rent add up to totalImpact before sponsorship, up to rounding; and sponsored, positive and outside of that sum"
  }),
  rate: Schema.String.annotate({
    description: "whole units out for a whole unit in: a decimal of at most 18 significant digits, truncated"
  }),
  slippageTolerance: Schema.Struct({ total: Schema.String, origin: Slippage, destination: Slippage }),
  timeEstimate: Schema.Int.annotate({ description: "seconds from the deposit to the fill" }),
  userBalance: Schema.String.annotate({
    description: "smallest unit of the origin currency; 0 when it cannot be read"
  }),
  fallbackType: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "with useFallbacks, what is delivered when the swap on the destination fails: bridged, the amount and currency that are the input of route.destination; or none, because nothing is swapped there"
    })
  ),
  isFixedRate: Schema.Boolean,
  fixedRateFee: Schema.optionalKey(
    UsdOnly.annotate({ description: "with fixedRate: positive when the user pays more than the market" })
  ),
  route: Schema.Struct({ origin: Leg, destination: Leg })
})
export type WireDetails = typeof WireDetails.Type
