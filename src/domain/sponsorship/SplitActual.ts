/**
 * The split after the fill, from the real costs (SPONSOR-11).
 *
 * Guarantee: nothing in it exceeds the quoted split: no component's total or sponsored part, not what the user pays,
 * and not the draw. The solver bears real costs above the quoted ones. The price of the fee currency is the quote's, so
 * that a moving market changes no share.
 */
import { MicroUsdc } from "../ledger/MicroUsdc.ts"
import { maxOf, minOf } from "../money/Rounding.ts"
import { assembleSplit } from "./AssembleSplit.ts"
import { type ByComponent, byComponent } from "./Component.ts"
import type { Split, SplitInput } from "./Split.ts"
import { splitSponsorship } from "./SplitSponsorship.ts"

/** What the fill really cost. */
export interface RealCosts {
  /** Smallest units of the fee currency. */
  readonly totals: ByComponent<bigint>
  readonly originGas: bigint
}

/** Origin and destination gas are limited separately: a saving in one leaves no room for more of the other. */
const heldDown = (quoted: RealCosts, real: RealCosts): RealCosts => {
  const originGas = minOf(maxOf(0n, quoted.originGas), maxOf(0n, real.originGas))
  const rest = (costs: RealCosts) => costs.totals.execution - maxOf(0n, costs.originGas)
  return {
    originGas,
    totals: {
      ...byComponent((component) => minOf(quoted.totals[component], real.totals[component])),
      execution: originGas + minOf(rest(quoted), rest(real))
    }
  }
}

/** A split with its sponsored parts, draw and receivable limited to another's; `input` is what it was made from. */
const within = (bound: Split, split: Split, input: SplitInput): Split => {
  // What the bound refused stays refused, whatever other costs would have allowed. Only the effect of a cap may change.
  const { outcome } = bound.outcome === "capped" || bound.outcome === "whole" ? split : bound
  const held = assembleSplit(input, {
    outcome,
    sponsored: byComponent((component) =>
      minOf(bound.components[component].sponsored, split.components[component].sponsored)
    )
  })
  // A smaller draw may round to a larger receivable, so the receivable is limited by the bound's own.
  return { ...held, receivable: MicroUsdc(minOf(bound.receivable, held.receivable)) }
}

/** The split of the real costs under the conditions of `quote`. */
export const splitActual = (quote: SplitInput, real: RealCosts): Split => {
  const input: SplitInput = { ...quote, ...heldDown(quote, real) }
  return within(splitSponsorship(quote), splitSponsorship(input), input)
}

/**
 * Who pays when costs exceed the quoted ones: the user pays the difference, or everything (SPONSOR-7, where more
 * arrived than was quoted).
 */
export type Above = "user-pays-rest" | "user-pays-all"

/**
 * The split of a new price under the conditions of the quote: at another time, or for another amount. The sponsor pays
 * for no component more than was quoted; the user pays the difference, or everything.
 */
export const splitRepriced = (
  quote: SplitInput,
  { originGas, totals }: RealCosts,
  above: Above = "user-pays-rest"
): Split => {
  const input: SplitInput = { ...quote, originGas, totals }
  const [quoted, now] = [splitSponsorship(quote), splitSponsorship(input)]
  return above === "user-pays-all" && now.sponsoredTotal > quoted.sponsoredTotal
    ? assembleSplit(input, { outcome: "above-cap", sponsored: byComponent(() => 0n) })
    : within(quoted, now, input)
}

/** The split of the real costs of a deposit whose charge was `charged`, limited to the costs of that charge. */
export const splitSettled = (quote: SplitInput, charged: Split, costs: RealCosts, real: RealCosts): Split => {
  const input: SplitInput = { ...quote, ...heldDown(costs, real) }
  return within(charged, splitSponsorship(input), input)
}
