/**
 * Who pays which part of the fees, on the wire (QUOTE-5).
 *
 * A quote has `quoted`; `actual` appears in the history after the fill. All five components, always.
 */
import * as Schema from "effect/Schema"
import { WireAmount } from "./WireAmount.ts"

/** One component of the fees, split between sponsor and user. */
export const WireShare = Schema.Struct({
  selected: Schema.Boolean.annotate({ description: "true when the sponsor was asked to pay this component" }),
  total: WireAmount,
  sponsored: WireAmount,
  userPays: WireAmount
}).annotate({ description: "one component: sponsored + userPays = total" })

const resolution = {
  selectedComponents: Schema.Array(Schema.String).annotate({
    description: "names of the components that the sponsor was asked to pay"
  }),
  capHit: Schema.Boolean.annotate({ description: "true when the fees exceed the cap, so that the user pays a part" }),
  components: Schema.Record(Schema.String, WireShare).annotate({
    description: "keys are execution, swap, the service component's name, app and rent"
  }),
  sponsoredTotal: WireAmount,
  userPaysTotal: WireAmount,
  maxSubsidizationAmount: Schema.optionalKey(
    Schema.String.annotate({ description: "the cap as it was sent: USDC with 6 decimals" })
  )
}

/** Who pays the fees, fixed when quoted. */
export const QuotedSponsorship = Schema.Struct(resolution).annotate({
  description: "who pays the fees, fixed when the quote was made"
})
export type QuotedSponsorship = typeof QuotedSponsorship.Type

/** Who paid the fees, after the fill. */
export const ActualSponsorship = Schema.Struct({
  ...resolution,
  sponsorPayment: Schema.Struct({
    amount: Schema.String.annotate({ description: "smallest unit of the sponsor's currency, USDC with 6 decimals" }),
    address: Schema.String.annotate({ description: "the sponsor's currency" }),
    chainId: Schema.Int.annotate({ description: "the chain of that currency: app balances are held there" })
  }).annotate({ description: "what was taken off the app balance" })
}).annotate({ description: "who paid the fees, from real costs after the fill; never above quoted" })
export type ActualSponsorship = typeof ActualSponsorship.Type

/** `feeSponsorship`: as quoted, and after the fill also the actual split. */
export const WireFeeSponsorship = Schema.Struct({
  quoted: QuotedSponsorship,
  actual: Schema.optionalKey(ActualSponsorship)
})
export type WireFeeSponsorship = typeof WireFeeSponsorship.Type
