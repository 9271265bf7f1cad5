/**
 * How much a key may let its sponsor pay: in all, a UTC day, a UTC day for one recipient, and a UTC day for the later
 * deposits of one open deposit address. Amounts are micro-USDC.
 *
 * A hold counts as spent at once, and as what was drawn when it is captured; a released one does not count. A day is
 * that of the hold. Not for the cap of one request: that is `Cap`.
 */
import * as Schema from "effect/Schema"
import { MicroUsdc, MicroUsdcFromString, zeroMicroUsdc } from "../ledger/MicroUsdc.ts"
import { maxOf, minOf } from "../money/Rounding.ts"

/**
 * The limits of a key; without one nothing but the balance limits, save later deposits, for which nothing is spent
 * without theirs.
 */
export const BudgetLimits = Schema.Struct({
  total: Schema.optionalKey(MicroUsdcFromString),
  perDay: Schema.optionalKey(MicroUsdcFromString),
  perRecipientPerDay: Schema.optionalKey(MicroUsdcFromString),
  /** For all later deposits of one open deposit address together. */
  laterPerAddressPerDay: Schema.optionalKey(MicroUsdcFromString)
})
export type BudgetLimits = typeof BudgetLimits.Type

/** What counts against each limit. */
export interface Spent {
  readonly total: MicroUsdc
  /** In the day that is asked about. */
  readonly day: MicroUsdc
  /** In that day, for the recipient that is asked about. */
  readonly recipient: MicroUsdc
}

/** What a limit leaves: nothing when it was lowered below what is spent. */
const leftOf = (limit: MicroUsdc | undefined, spent: MicroUsdc): ReadonlyArray<bigint> =>
  limit === undefined ? [] : [limit > spent ? limit - spent : 0n]

/**
 * What the later deposits of one address may still draw, of which so much is spent in the day: nothing unless the key
 * allows it.
 */
export const laterLeft = ({ laterPerAddressPerDay = zeroMicroUsdc }: BudgetLimits, spent: MicroUsdc): MicroUsdc =>
  MicroUsdc(maxOf(0n, laterPerAddressPerDay - spent))

/** What may still be spent under all limits; undefined when there is none. */
export const budgetLeft = (limits: BudgetLimits, spent: Spent): MicroUsdc | undefined => {
  const [first, ...others] = [
    ...leftOf(limits.total, spent.total),
    ...leftOf(limits.perDay, spent.day),
    ...leftOf(limits.perRecipientPerDay, spent.recipient)
  ]
  return first === undefined ? undefined : MicroUsdc(others.reduce(minOf, first))
}
