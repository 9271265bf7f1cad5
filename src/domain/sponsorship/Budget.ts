/**
 * How much a key may let its sponsor pay: in total, per UTC day, per UTC day and recipient, and per UTC day for the
 * later deposits of one open deposit address. Amounts are micro-USDC.
 *
 * A hold counts as spent at once. A captured hold counts as what was drawn; a released one does not count. It counts
 * for the day of the hold. Not for the cap of one request: that is `Cap`.
 */
import * as Schema from "effect/Schema"
import { MicroUsdc, MicroUsdcFromString, zeroMicroUsdc } from "../ledger/MicroUsdc.ts"
import { maxOf, minOf } from "../money/Rounding.ts"

/**
 * The limits of a key. Without a limit only the balance limits spending, except for later deposits: without their limit
 * nothing is spent on them.
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
  /** On the day in question. */
  readonly day: MicroUsdc
  /** On that day, for the recipient in question. */
  readonly recipient: MicroUsdc
}

/** What a limit leaves: zero when it was lowered below what is already spent. */
const leftOf = (limit: MicroUsdc | undefined, spent: MicroUsdc): ReadonlyArray<bigint> =>
  limit === undefined ? [] : [limit > spent ? limit - spent : 0n]

/**
 * What the later deposits of one address may still draw on a day on which `spent` was already drawn: zero unless the
 * key allows it.
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
