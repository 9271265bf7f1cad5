/**
 * How far a sponsor's cap reaches, in units of the fee currency, and how it is divided among the components
 * (SPONSOR-6).
 *
 * Dollars are 18-digit fixed point, and rounded up where a sponsor pays them. So "worth at most the cap" and "at most
 * ⌊the cap in units⌋" are equivalent, and no rounding can exceed the cap. Not for choosing the components.
 */
import type { MicroUsdc } from "../ledger/MicroUsdc.ts"
import { type PricedCurrency, unitsForUsdCeil, usdFloor } from "../money/Currency.ts"
import { maxOf, minOf } from "../money/Rounding.ts"
import { Usd, usdFromMicros } from "../money/Usd.ts"
import { type ByComponent, byComponent, type Component } from "./Component.ts"

/** The worth of `units` in dollars, rounded up. */
export const usdCeil = (units: bigint, currency: PricedCurrency): Usd => Usd(0n - usdFloor(-units, currency))

/** The most units of the fee currency that are worth no more than the cap; zero for a negative cap. */
export const unitsWithinCap = (cap: MicroUsdc, currency: PricedCurrency): bigint =>
  maxOf(0n, -unitsForUsdCeil(Usd(0n - usdFromMicros(cap)), currency))

/** The cap of a request: its own, else the default of its key; undefined when neither sets one. */
export const effectiveCap = (asked: MicroUsdc | undefined, keyDefault: MicroUsdc | undefined): MicroUsdc | undefined =>
  asked ?? keyDefault

/** Earlier components are paid first, so that raising a cap never lowers any component's share. */
const waterfallOrder: ReadonlyArray<Component> = ["execution", "swap", "service", "rent", "app"]

/**
 * Distributes `within` units in order: each component gets what is left, and never more than it wants. No share is
 * negative.
 */
export const waterfall = (wanted: ByComponent<bigint>, within: bigint): ByComponent<bigint> => {
  const shares = new Map<Component, bigint>()
  let left = within
  for (const component of waterfallOrder) {
    const share = minOf(left, wanted[component])
    shares.set(component, share)
    left -= share
  }
  return byComponent((component) => shares.get(component) ?? 0n)
}
