/** Who pays which part of the fees (spec/3 §5, spec/1 §4.2.1). */
export { admitSponsor, type SponsorFacts } from "../domain/sponsorship/AdmitSponsor.ts"
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
export { type RealCosts, splitActual } from "../domain/sponsorship/SplitActual.ts"
export { splitSponsorship } from "../domain/sponsorship/SplitSponsorship.ts"
