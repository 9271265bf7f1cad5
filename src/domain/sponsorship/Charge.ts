/**
 * Who pays which fees of a filled deposit: decided before the fill is signed, and captured once the fill is final.
 *
 * Guarantee: for each component a sponsor pays at most what was quoted and at most what was decided with the deposit;
 * the solver bears real costs above those. A user pays what was decided, which is what the fill left out.
 */
import * as Schema from "effect/Schema"
import { convertCeil } from "../money/Currency.ts"
import { type Agreement, Costs, quotedInput } from "./Agreement.ts"
import type { Split } from "./Split.ts"
import { splitRepriced, splitSettled } from "./SplitActual.ts"
import type { RealCosts } from "./SplitActual.ts"
import { splitSponsorship } from "./SplitSponsorship.ts"

/** The payer, and the costs that it pays. */
export const Charge = Schema.Struct({
  /** `user`: the sponsor's money could not be held, so the user pays everything. */
  payer: Schema.Literals(["sponsor", "user"]),
  costs: Costs,
  /** An open deposit address received more than was quoted: the sponsor pays all, or nothing. */
  allOrNothing: Schema.optionalKey(Schema.Literal(true))
})
export type Charge = typeof Charge.Type

/** The split as it was decided with the deposit. */
export const chargedSplit = (agreement: Agreement, { allOrNothing, costs, payer }: Charge): Split =>
  payer === "sponsor"
    ? splitRepriced(quotedInput(agreement), costs, allOrNothing ? "user-pays-all" : "user-pays-rest")
    : splitSponsorship({ ...quotedInput(agreement), ...costs, sponsor: { _tag: "Nobody" } })

/** What a fill spent, smallest units of its native currency. */
export interface FillSpent {
  readonly gasPaid: bigint
  /**
   * The cost of the account that the fill opened. Undefined when it is unknown or the chain charges none; then the
   * charged amount is used.
   */
  readonly rentPaid?: bigint | undefined
}

const realCosts = (
  { feeCurrency, fillNative }: Agreement,
  { fillGas, originGas, totals }: Costs,
  { gasPaid, rentPaid }: FillSpent
): RealCosts => ({
  originGas,
  totals: {
    ...totals,
    execution: totals.execution - fillGas + convertCeil(gasPaid, fillNative, feeCurrency),
    rent: rentPaid === undefined ? totals.rent : convertCeil(rentPaid, fillNative, feeCurrency)
  }
})

/** The split of the real costs, at the quote's price. */
export const actualSplit = (agreement: Agreement, charge: Charge, spent: FillSpent): Split =>
  splitSettled(
    quotedInput(agreement),
    chargedSplit(agreement, charge),
    charge.costs,
    realCosts(agreement, charge.costs, spent)
  )
