/** Who pays which part of the fees (SPONSOR-2, SPONSOR-1). */
export { utcDay } from "../domain/calendar/Day.ts"
export { admitSponsor, type SponsorFacts } from "../domain/sponsorship/AdmitSponsor.ts"
export { Agreement as SponsorshipAgreement, Costs, costsOf, quotedInput } from "../domain/sponsorship/Agreement.ts"
export { BudgetLimits, budgetLeft, type Spent } from "../domain/sponsorship/Budget.ts"
export { actualSplit, Charge as SponsorshipCharge, chargedSplit, type FillSpent } from "../domain/sponsorship/Charge.ts"
export { effectiveCap, unitsWithinCap, waterfall } from "../domain/sponsorship/Cap.ts"
export {
  byComponent,
  type ByComponent,
  Component,
  componentName,
  components,
  isServiceName,
  parseComponent,
  sumOver
} from "../domain/sponsorship/Component.ts"
export { selectComponents, type Selection, type SponsorshipWish } from "../domain/sponsorship/Selection.ts"
export type { Share, Split, SplitInput, SplitOutcome, Sponsor } from "../domain/sponsorship/Split.ts"
export {
  type Above,
  type RealCosts,
  splitActual,
  splitRepriced,
  splitSettled
} from "../domain/sponsorship/SplitActual.ts"
export { splitSponsorship } from "../domain/sponsorship/SplitSponsorship.ts"
