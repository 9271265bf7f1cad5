/**
 * Completes a split from its sponsored parts: what the user pays, the sums, the draw and the receivable (SPONSOR-6,
 * SPONSOR-8).
 *
 * Guarantee: sponsored + userPays = total. Draw and receivable together are the worth of the sponsored parts, rounded
 * up, so they exceed no cap that the sponsored parts keep. Not for deciding what is sponsored.
 */
import { MicroUsdc, microUsdcCeil } from "../ledger/MicroUsdc.ts"
import type { PricedCurrency } from "../money/Currency.ts"
import { usdCeil } from "./Cap.ts"
import { type ByComponent, byComponent, type Component, inOrder, sumOver } from "./Component.ts"
import type { Split, SplitInput, SplitOutcome } from "./Split.ts"

/** Smallest units of the fee currency that the sponsor pays of each component, and why. */
export interface SplitDecision {
  readonly outcome: SplitOutcome
  readonly sponsored: ByComponent<bigint>
}

/** The selected components, each once, in the order of answers. */
export const selectedOf = ({ selection }: SplitInput): ReadonlyArray<Component> =>
  selection._tag === "Off" ? [] : inOrder(selection.components)

/** Micro-USDC for `units`, rounded up. A worth within a cap of whole micro-USDC stays within it when rounded up. */
const charge = (units: bigint, currency: PricedCurrency): MicroUsdc => microUsdcCeil(usdCeil(units, currency))

export const assembleSplit = (input: SplitInput, { outcome, sponsored }: SplitDecision): Split => {
  const selected = selectedOf(input)
  const sponsoredTotal = sumOver((component) => sponsored[component])
  const draw = charge(sponsoredTotal - sponsored.app, input.feeCurrency)
  return {
    outcome,
    selectedComponents: selected,
    components: byComponent((component) => ({
      selected: selected.includes(component),
      total: input.totals[component],
      sponsored: sponsored[component],
      userPays: input.totals[component] - sponsored[component]
    })),
    capHit: outcome === "capped" || outcome === "above-cap",
    sponsoredTotal,
    userPaysTotal: sumOver((component) => input.totals[component]) - sponsoredTotal,
    draw,
    receivable: MicroUsdc(charge(sponsoredTotal, input.feeCurrency) - draw)
  }
}
