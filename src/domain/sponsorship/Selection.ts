/**
 * Which components a request asks its sponsor to pay (SPONSOR-3, SPONSOR-7).
 *
 * A given list and a default one treat unselected rent differently (SPONSOR-4), so a selection records which of the two
 * it is. Not for how much is paid: that is `SplitSponsorship.ts`.
 */
import * as Result from "effect/Result"
import { QuoteRefused } from "../quote/QuoteError.ts"
import { type Component, inOrder } from "./Component.ts"

/** Which parts of the fees a request has sponsored. */
export type Selection =
  | { readonly _tag: "Off" }
  | { readonly _tag: "Defaulted" | "Listed"; readonly components: ReadonlyArray<Component> }

/** The fields of a request that decide its sponsorship; absent ones are undefined. */
export interface SponsorshipWish {
  readonly subsidizeFees: boolean
  readonly sponsoredFeeComponents: ReadonlyArray<Component> | undefined
  /** Micro-USDC. */
  readonly maxSubsidizationAmount: bigint | undefined
  readonly subsidizeRent: boolean
  readonly useDepositAddress: boolean
}

const defaults: ReadonlyArray<Component> = ["execution", "swap", "service", "app"]

const refused = (field: string, message: string) =>
  Result.fail(new QuoteRefused({ code: "INVALID_REQUEST", field, message }))

/**
 * The selection of a request, each component once. INVALID_REQUEST for an empty list, a list or a cap without
 * subsidizeFees, and a list with useDepositAddress. subsidizeRent without subsidizeFees sponsors nothing.
 */
export const selectComponents = (wish: SponsorshipWish): Result.Result<Selection, QuoteRefused> => {
  const listed = wish.sponsoredFeeComponents
  if (!wish.subsidizeFees) {
    if (listed !== undefined) return refused("sponsoredFeeComponents", "sponsoredFeeComponents requires subsidizeFees")
    if (wish.maxSubsidizationAmount !== undefined) {
      return refused("maxSubsidizationAmount", "maxSubsidizationAmount requires subsidizeFees")
    }
    return Result.succeed({ _tag: "Off" })
  }
  const rent: ReadonlyArray<Component> = wish.subsidizeRent ? ["rent"] : []
  if (listed === undefined) return Result.succeed({ _tag: "Defaulted", components: inOrder([...defaults, ...rent]) })
  if (wish.useDepositAddress) {
    return refused("sponsoredFeeComponents", "sponsoredFeeComponents cannot be combined with useDepositAddress")
  }
  if (listed.length === 0) {
    return refused("sponsoredFeeComponents", "sponsoredFeeComponents needs at least one component")
  }
  return Result.succeed({ _tag: "Listed", components: inOrder([...listed, ...rent]) })
}
