/**
 * How an account of exchange A keeps its balances: its "account abstraction", as the request `userAbstraction` names it
 * (EXCHANGEA-36). Only the account's own key, or an agent that it has approved, changes it. Pure, total.
 */
import type { Asset } from "./Asset.ts"

/** A new account is "default", which keeps balances as "disabled" does. */
export const accountModes = ["default", "disabled", "dexAbstraction", "unifiedAccount", "portfolioMargin"] as const

export type AccountMode = (typeof accountModes)[number]

/** True when spot holds the only balance of each token. What perps show of such an account means nothing. */
export const isPooled = (mode: string): boolean => mode === "unifiedAccount" || mode === "portfolioMargin"

/** The dex that a transfer of the asset takes it from. */
export const sourceDexOf = (mode: AccountMode, { dex }: Pick<Asset, "dex">): string => isPooled(mode) ? "spot" : dex

/** What is configured of accounts that pay: each dex has its own balance. */
export const SEPARATE = "separate balances"

const isKnown = (mode: string): boolean => accountModes.some((each) => each === mode)

/** A mode in words for operators, with what to do about it. */
export const describeMode = (mode: string): string => {
  if (isPooled(mode)) {
    return `${mode}, which cannot pay from perps: set the mode to disabled with the account's key, or use another account`
  }
  return isKnown(mode)
    ? SEPARATE
    : `the mode ${mode}, which this version does not know: set it to disabled with the account's key`
}
