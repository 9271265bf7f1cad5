/**
 * Who pays the fees of a deposit that is filled, and which: decided before the fill is signed, settled once it is
 * final.
 *
 * Guarantee: a sponsor pays for no component more than was quoted, nor than was decided with the deposit; real costs
 * above those are the solver's. A user pays what was decided, which is what the fill left out.
 */
import * as Schema from "effect/Schema"
import { convertCeil } from "../money/Currency.ts"
import { type Agreement, Costs, quotedInput } from "./Agreement.ts"
import type { Split } from "./Split.ts"
import { splitRepriced, splitSettled } from "./SplitActual.ts"
import type { RealCosts } from "./SplitActual.ts"
import { splitSponsorship } from "./SplitSponsorship.ts"

/** Who pays, and for which costs. */
export const Charge = Schema.Struct({
  /** `user`: the sponsor's money could not be held, and the user pays everything. */
  payer: Schema.Literals(["sponsor", "user"]),
  costs: Costs,
  /** More came than was quoted, to an open deposit address: the sponsor pays all, or nothing. */
  allOrNothing: Schema.optionalKey(Schema.Literal(true))
})
export type Charge = typeof Charge.Type

/** The split as it was decided with the deposit. */
export const chargedSplit = (agreement: Agreement, { allOrNothing, costs, payer }: Charge): Split =>
  payer === "sponsor"
    ? splitRepriced(quotedInput(agreement), costs, allOrNothing ? "user-pays-all" : "user-pays-rest")
    : splitSponsorship({ ...quotedInput(agreement), ...costs, sponsor: { _tag: "Nobody" } })

/** What a fill took, smallest units of its native currency. */
export interface FillSpent {
  readonly gasPaid: bigint
  /**
   * With the account that it opened; undefined where that is not known, or asked for by no chain: then it is as
   * charged.
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

/** The split of what things really cost, at the quote's price. */
export const actualSplit = (agreement: Agreement, charge: Charge, spent: FillSpent): Split =>
  splitSettled(
    quotedInput(agreement),
    chargedSplit(agreement, charge),
    charge.costs,
    realCosts(agreement, charge.costs, spent)
  )
