/**
 * A swap that the fill's own transaction makes, on chains without a router for calls (SOLANA-21). The order pays the
 * recipient what the swap gives, and the solver pays the whole of a currency that it holds.
 */
import { can } from "../families/FamilyRules.ts"
import type { FamilyRules } from "../families/FamilyRules.ts"
import type { Currency } from "../money/Currency.ts"

/** True where a fill's own transaction swaps, because no calls can. There is no vault then. */
export const swapsInItself = (family: Pick<FamilyRules, "abilities">): boolean =>
  can(family, "swaps-in-fills") && !can(family, "calls")

export interface FillSwap {
  /** What the recipient gets. */
  readonly currency: Currency
  /** The least that the recipient gets, smallest units of that currency. Less is never paid: the transaction fails. */
  readonly least: bigint
  /** The most pools in a row; undefined for any number (`maxRouteLength`). */
  readonly mostHops: number | undefined
}
