/**
 * Who pays which part of a transfer's fees (SPONSOR-5, SPONSOR-6, SPONSOR-1): pure and total.
 *
 * Guarantee: for each component and in sum, sponsored + userPays = total; the draw and the receivable together are
 * never above the cap. Whether the sponsor may pay at all (key, wallet, balance, budget) is `AdmitSponsor.ts`.
 */
import { maxOf } from "../money/Rounding.ts"
import { assembleSplit, selectedOf, type SplitDecision } from "./AssembleSplit.ts"
import { unitsWithinCap, waterfall } from "./Cap.ts"
import { type ByComponent, byComponent, sumOver } from "./Component.ts"
import type { Split, SplitInput } from "./Split.ts"

const nothing: ByComponent<bigint> = byComponent(() => 0n)

/** What a sponsor may be asked to pay: selected components above zero, without the origin's gas. */
const sponsorable = (input: SplitInput): ByComponent<bigint> => {
  const selected = selectedOf(input)
  return byComponent((component) => {
    const users = component === "execution" ? maxOf(0n, input.originGas) : 0n
    return selected.includes(component) ? maxOf(0n, input.totals[component] - users) : 0n
  })
}

const decide = (input: SplitInput): SplitDecision => {
  const { feeCurrency, kind, selection, sponsor, totals } = input
  if (selection._tag === "Off" || sponsor._tag === "Nobody") return { outcome: "off", sponsored: nothing }
  if (feeCurrency.price <= 0n) return { outcome: "unpriced", sponsored: nothing }
  if (totals.rent > 0n && selection._tag === "Defaulted" && !selection.components.includes("rent")) {
    return { outcome: "rent-not-selected", sponsored: nothing }
  }
  const wanted = sponsorable(input)
  const within = sponsor.cap === undefined ? undefined : unitsWithinCap(sponsor.cap, feeCurrency)
  if (within === undefined || sumOver((component) => wanted[component]) <= within) {
    return { outcome: "whole", sponsored: wanted }
  }
  return kind === "deposit-address"
    ? { outcome: "above-cap", sponsored: nothing }
    : { outcome: "capped", sponsored: waterfall(wanted, within) }
}

/** The split of the fees of one request. Never fails: the user pays what cannot be sponsored. */
export const splitSponsorship = (input: SplitInput): Split => assembleSplit(input, decide(input))
