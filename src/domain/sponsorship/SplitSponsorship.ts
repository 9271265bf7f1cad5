/**
 * Who pays which part of a transfer's fees (spec/3 §5, spec/1 §4.2.1): pure and total.
 *
 * Guarantee: for each component and in sum, sponsored + userPays = total; the draw and the receivable together are never
 * above the cap. Whether the sponsor may pay at all (key, wallet, balance, budget) is `AdmitSponsor.ts`.
 */
import { MicroUsdc, microUsdcCeil, zeroMicroUsdc } from "../app-balance/MicroUsdc.ts"
import type { PricedCurrency } from "../money/Currency.ts"
import { maxOf, minOf } from "../money/Rounding.ts"
import { unitsWithinCap, usdCeil, waterfall } from "./Cap.ts"
import { type ByComponent, byComponent, type Component, inOrder, sumOver } from "./Component.ts"
import type { Split, SplitInput, SplitOutcome } from "./Split.ts"

interface Decision {
  readonly outcome: SplitOutcome
  readonly sponsored: ByComponent<bigint>
}

const nothing: ByComponent<bigint> = byComponent(() => 0n)

const selectedOf = ({ selection }: SplitInput): ReadonlyArray<Component> =>
  selection._tag === "Off" ? [] : inOrder(selection.components)

/** What a sponsor may be asked for: selected, above zero, and without the origin's gas. */
const sponsorable = (input: SplitInput): ByComponent<bigint> => {
  const selected = selectedOf(input)
  return byComponent((component) => {
    const users = component === "execution" ? maxOf(0n, input.originGas) : 0n
    return selected.includes(component) ? maxOf(0n, input.totals[component] - users) : 0n
  })
}

const decide = (input: SplitInput): Decision => {
  const { feeCurrency, kind, selection, sponsor, totals } = input
  if (selection._tag === "Off" || sponsor._tag === "Nobody") return { outcome: "off", sponsored: nothing }
  if (feeCurrency.price <= 0n) return { outcome: "unpriced", sponsored: nothing }
  if (totals.rent > 0n && selection._tag === "Defaulted" && !selection.components.includes("rent")) {
    return { outcome: "rent-not-selected", sponsored: nothing }
  }
  const wanted = sponsorable(input)
  const within = sponsor.cap === undefined ? undefined : unitsWithinCap(sponsor.cap, feeCurrency)
  if (within === undefined || sumOver((component) => wanted[component]) <= within) return { outcome: "whole", sponsored: wanted }
  return kind === "deposit-address"
    ? { outcome: "above-cap", sponsored: nothing }
    : { outcome: "capped", sponsored: waterfall(wanted, within) }
}

/** Micro-USDC for `units`, rounded up and never above the cap. */
const charge = (units: bigint, currency: PricedCurrency, cap: MicroUsdc | undefined): MicroUsdc => {
  if (units <= 0n) return zeroMicroUsdc
  const micros = microUsdcCeil(usdCeil(units, currency))
  return cap === undefined ? micros : MicroUsdc(minOf(micros, cap))
}

/** The split of the fees of one request. Never fails: what cannot be sponsored is the user's. */
export const splitSponsorship = (input: SplitInput): Split => {
  const { outcome, sponsored } = decide(input)
  const selected = selectedOf(input)
  const cap = input.sponsor._tag === "Key" ? input.sponsor.cap : undefined
  const sponsoredTotal = sumOver((component) => sponsored[component])
  const draw = charge(sponsoredTotal - sponsored.app, input.feeCurrency, cap)
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
    receivable: MicroUsdc(charge(sponsoredTotal, input.feeCurrency, cap) - draw)
  }
}
