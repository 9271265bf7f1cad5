/**
 * What of the store may be forgotten, and when (SAFE-10, ADDRESS-16). Requests with a deposit, deposit addresses and
 * the ledger are kept for ever; a quote that nobody paid only until a deposit for it would no longer be filled.
 */
import { utcDay } from "../calendar/Day.ts"
import type { ChainId } from "../chain/ChainId.ts"
import type { Order } from "../order/Order.ts"
import { UNPAID_SECONDS } from "./Bounds.ts"
import type { RequestId } from "./RequestId.ts"
import type { TransferTerms } from "./Transfer.ts"

/** What decides about a quote without a deposit. */
export interface UnpaidQuote {
  readonly id: RequestId
  /** Milliseconds. */
  readonly quotedAt: number
  readonly order: Order
  readonly terms: TransferTerms
}

/** The time up to which the blocks of a chain were looked through for deposits, seconds: the block's own. */
export type ScannedUntil = (chain: ChainId) => number | undefined

/**
 * The last time at which somebody may be paid for a deposit, seconds: a late one while the order's refunds are open.
 */
const paidUntil = ({ order, terms }: UnpaidQuote): number => {
  const refunds = order.inputs.flatMap((input) => input.refunds.map(({ deadline }) => deadline))
  return terms.lateSlippageBps === undefined ? order.output.deadline : Math.max(order.output.deadline, ...refunds)
}

const isOver = (quote: UnpaidQuote, seconds: number, now: number, scannedUntil: ScannedUntil): boolean => {
  const scanned = scannedUntil(quote.terms.originChainId)
  if (scanned === undefined) return false
  const until = Math.max(quote.quotedAt + seconds * 1000, paidUntil(quote) * 1000)
  return now > until && scanned * 1000 > until
}

/**
 * True once no deposit for the quote can be filled any more, and none that was made in time can still be found. Both
 * the clock (`now`, milliseconds) and the origin chain must say so: a deposit that lies in a block that nobody has
 * looked at yet is a deposit, however late it is found. A chain of which nothing is known keeps its quotes. One with a
 * deposit address is `mayDrop`'s.
 */
export const mayForget = (quote: UnpaidQuote, now: number, scannedUntil: ScannedUntil): boolean =>
  quote.terms.depositAddress === undefined && isOver(quote, UNPAID_SECONDS, now, scannedUntil)

/** How long the quote of a deposit address is kept at least, seconds. */
const UNPAID_ADDRESS_SECONDS = 14 * 24 * 3600

/**
 * True once the quote of a deposit address may be dropped, if a last reading of its balances finds nothing: the same,
 * of a longer time. The address itself is kept for ever: what comes there afterwards is swept under no order, and goes
 * back.
 */
export const mayDrop = (quote: UnpaidQuote, now: number, scannedUntil: ScannedUntil): boolean =>
  quote.terms.depositAddress !== undefined && isOver(quote, UNPAID_ADDRESS_SECONDS, now, scannedUntil)

/** Quotes of deposit addresses from this time on, milliseconds, are too young to be looked at. */
export const youngestUnpaidAddress = (now: number): number => now - UNPAID_ADDRESS_SECONDS * 1000

/** Quotes from this time on, milliseconds, are too young to be looked at. */
export const youngestUnpaid = (now: number): number => now - UNPAID_SECONDS * 1000

/** How long the engine's rows of work that has ended are kept: nothing starts it again once its deposit is closed. */
export const FINISHED_WORK_HOURS = 24

const SPENT_DAYS_KEPT = 30

/**
 * The first UTC day of which it is kept what keys spent on it: thirty days ago. Limits read today's alone; what comes
 * back of a hold is taken off the hold's own day as long as that is kept. SECURITY: a worker whose clock is ahead by as
 * much would have keys spend their daily limits again, so that this is far more than clocks differ by.
 */
export const oldestSpentDay = (now: number): number => utcDay(now) - SPENT_DAYS_KEPT
