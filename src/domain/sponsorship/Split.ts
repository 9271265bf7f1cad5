/**
 * What a sponsorship decision is made from, and what it says: the input and the answer of `splitSponsorship`.
 *
 * Amounts are smallest units of the fee currency unless they say micro-USDC. Every field is a fact of quote time, so
 * that a decision can be made again from its record.
 */
import type { MicroUsdc } from "../ledger/MicroUsdc.ts"
import type { PricedCurrency } from "../money/Currency.ts"
import type { ByComponent, Component } from "./Component.ts"
import type { Selection } from "./Selection.ts"

/** Who could pay: nobody without a valid key, else a key with its cap (undefined: the balance alone limits it). */
export type Sponsor =
  | { readonly _tag: "Nobody" }
  | { readonly _tag: "Key"; readonly cap: MicroUsdc | undefined }

/** What a split is made from. */
export interface SplitInput {
  readonly feeCurrency: PricedCurrency
  /** A total may be negative (a swap that gains) and is then the user's. */
  readonly totals: ByComponent<bigint>
  /** The part of execution's total that is the origin's gas of a gasless request: always the user's (SPONSOR-10). */
  readonly originGas: bigint
  readonly selection: Selection
  readonly sponsor: Sponsor
  readonly kind: "direct" | "deposit-address"
}

/** One component, split between sponsor and user. */
export interface Share {
  readonly selected: boolean
  readonly total: bigint
  readonly sponsored: bigint
  readonly userPays: bigint
}

/**
 * Why the shares are as they are: nothing was asked or nobody could pay (`off`), everything selected is sponsored
 * (`whole`), the cap cut (`capped`), the cap was passed at a deposit address (`above-cap`), rent was needed and a
 * defaulted selection does not have it (`rent-not-selected`), the fee currency has no price to compare (`unpriced`).
 */
export type SplitOutcome = "off" | "whole" | "capped" | "above-cap" | "rent-not-selected" | "unpriced"

export interface Split {
  readonly outcome: SplitOutcome
  readonly selectedComponents: ReadonlyArray<Component>
  readonly components: ByComponent<Share>
  readonly capHit: boolean
  readonly sponsoredTotal: bigint
  readonly userPaysTotal: bigint
  /** Micro-USDC taken from the app balance: everything sponsored but app fees. */
  readonly draw: MicroUsdc
  /** Micro-USDC that the sponsor owes the recipients of app fees: booked, and nobody's money until it is paid. */
  readonly receivable: MicroUsdc
}
