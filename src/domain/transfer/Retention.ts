/**
 * What the store may delete, and when (SAFE-10, ADDRESS-16). Requests with a deposit, deposit addresses and the ledger
 * are kept forever. An unpaid quote is kept only until a deposit for it would no longer be filled.
 */
import { utcDay } from "../calendar/Day.ts"
import type { ChainId } from "../chain/ChainId.ts"
import type { Order } from "../order/Order.ts"
import { UNPAID_SECONDS } from "./Bounds.ts"
import type { RequestId } from "./RequestId.ts"
import type { TransferTerms } from "./Transfer.ts"

/** What decides whether a quote without a deposit may be deleted. */
export interface UnpaidQuote {
  readonly id: RequestId
  /** Milliseconds. */
  readonly quotedAt: number
  readonly order: Order
  readonly terms: TransferTerms
}

/** The time up to which a chain's blocks were scanned for deposits: seconds, the block's own time. */
export type ScannedUntil = (chain: ChainId) => number | undefined

/**
 * The last time at which a deposit can still lead to a payment, seconds. A late deposit counts while the order's
 * refunds are open.
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
 * True once no deposit for the quote can be filled any more, and no deposit that was made in time can still be found.
 * Both the clock (`now`, milliseconds) and the origin chain must say so: a deposit in a block that was not scanned yet
 * still counts, however late it is found. If nothing is known about a chain, its quotes are kept. Quotes with a deposit
 * address are decided by `mayDrop`.
 */
export const mayForget = (quote: UnpaidQuote, now: number, scannedUntil: ScannedUntil): boolean =>
  quote.terms.depositAddress === undefined && isOver(quote, UNPAID_SECONDS, now, scannedUntil)

/** The minimum time that the quote of a deposit address is kept, seconds. */
const UNPAID_ADDRESS_SECONDS = 14 * 24 * 3600

/**
 * True once the quote of a deposit address may be dropped, provided that a last reading of its balances finds nothing.
 * The rule is that of `mayForget` with a longer time. The address itself is kept forever: money that arrives later is
 * swept under no order and returned.
 */
export const mayDrop = (quote: UnpaidQuote, now: number, scannedUntil: ScannedUntil): boolean =>
  quote.terms.depositAddress !== undefined && isOver(quote, UNPAID_ADDRESS_SECONDS, now, scannedUntil)

/** Quotes of deposit addresses that were made at or after this time (milliseconds) are too young to be examined. */
export const youngestUnpaidAddress = (now: number): number => now - UNPAID_ADDRESS_SECONDS * 1000

/** Quotes that were made at or after this time (milliseconds) are too young to be examined. */
export const youngestUnpaid = (now: number): number => now - UNPAID_SECONDS * 1000

/**
 * How long the workflow engine's rows of ended work are kept. Such work is never started again once its deposit is
 * closed.
 */
export const FINISHED_WORK_HOURS = 24

const SPENT_DAYS_KEPT = 30

/**
 * The oldest UTC day for which the daily spend of keys is kept: thirty days ago. Limits read only today's record. A
 * released hold is taken off the hold's own day while that day is kept. SECURITY: a worker whose clock ran thirty days
 * ahead would delete today's record and let keys spend their daily limits again, so the period is far longer than
 * clocks differ.
 */
export const oldestSpentDay = (now: number): number => utcDay(now) - SPENT_DAYS_KEPT
