/**
 * The input and the result of `splitSponsorship`.
 *
 * Amounts are smallest units of the fee currency unless they say micro-USDC. Every field is a fact of quote time, so a
 * decision can be reproduced from its record.
 */
import type { MicroUsdc } from "../ledger/MicroUsdc.ts"
import type { PricedCurrency } from "../money/Currency.ts"
import type { ByComponent, Component } from "./Component.ts"
import type { Selection } from "./Selection.ts"

/** The possible payer: none without a valid key, else a key with its cap (undefined: only the balance limits it). */
export type Sponsor =
  | { readonly _tag: "Nobody" }
  | { readonly _tag: "Key"; readonly cap: MicroUsdc | undefined }

/** What a split is made from. */
export interface SplitInput {
  readonly feeCurrency: PricedCurrency
  /** A total may be negative (a swap that gains); then it belongs to the user. */
  readonly totals: ByComponent<bigint>
  /**
   * The part of execution's total that is the origin's gas of a gasless request: the user always pays it (SPONSOR-10).
   */
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
 * Why the shares are as they are:
 * - `off`: no sponsorship was requested, or there is no payer
 * - `whole`: everything selected is sponsored
 * - `capped`: the cap reduced it
 * - `above-cap`: the cap was exceeded at a deposit address
 * - `rent-not-selected`: rent was needed and a default selection does not include it
 * - `unpriced`: the fee currency has no price to compare with the cap
 */
export type SplitOutcome = "off" | "whole" | "capped" | "above-cap" | "rent-not-selected" | "unpriced"

/** Who pays how much of the fees, in micro-dollars. Sender and sponsor sum to the total. */
export interface Split {
  readonly outcome: SplitOutcome
  readonly selectedComponents: ReadonlyArray<Component>
  readonly components: ByComponent<Share>
  readonly capHit: boolean
  readonly sponsoredTotal: bigint
  readonly userPaysTotal: bigint
  /** Micro-USDC taken from the app balance: everything sponsored except app fees. */
  readonly draw: MicroUsdc
  /**
   * Micro-USDC that the sponsor owes the recipients of app fees: booked as a debt, and no balance of theirs until it is
   * paid.
   */
  readonly receivable: MicroUsdc
}
