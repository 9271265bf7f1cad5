/**
 * The outcomes of a key's requests, and what they drew from its app balance, by day or month in UTC (HISTORY-4).
 *
 * A request belongs to the period in which it was quoted, and so does everything captured for it, so the periods of a
 * range add up to the range. Amounts are micro-USDC.
 */
import { MicroUsdc } from "../../ledger/MicroUsdc.ts"
import { dateOf } from "../../calendar/Day.ts"
import type { Status } from "../../transfer/Status.ts"

/** Requests of one day that are in one state. */
export interface DayCount {
  /** Days since the Unix epoch, in UTC. */
  readonly day: number
  readonly status: Status
  readonly requests: number
  readonly sponsoredRequests: number
  readonly captured: MicroUsdc
}

/** Sums over requests of one key. */
export interface Totals {
  readonly requests: number
  /** Those that were quoted with a sponsor. */
  readonly sponsoredRequests: number
  /** Captured from the app balance, which is final. */
  readonly captured: MicroUsdc
  readonly byStatus: Readonly<Record<Status, number>>
}

/** The length of a period, in UTC. */
export type PeriodKind = "day" | "month"

/** The totals of one day or month. */
export interface Period extends Totals {
  /** `2026-11-21`, or `2026-11`. */
  readonly period: string
}

export interface Summary {
  readonly total: Totals
  /** Oldest first; those without requests are left out. */
  readonly periods: ReadonlyArray<Period>
}

const nothing: Totals = {
  requests: 0,
  sponsoredRequests: 0,
  captured: MicroUsdc(0n),
  byStatus: { waiting: 0, depositing: 0, pending: 0, submitted: 0, delayed: 0, success: 0, refund: 0, failure: 0 }
}

const add = (totals: Totals, { captured, requests, sponsoredRequests, status }: DayCount): Totals => ({
  requests: totals.requests + requests,
  sponsoredRequests: totals.sponsoredRequests + sponsoredRequests,
  captured: MicroUsdc(totals.captured + captured),
  byStatus: { ...totals.byStatus, [status]: totals.byStatus[status] + requests }
})

const nameOf = (kind: PeriodKind, day: number): string => kind === "day" ? dateOf(day) : dateOf(day).slice(0, 7)

/** Adds up the counts of days. */
export const summarise = (kind: PeriodKind, counts: ReadonlyArray<DayCount>): Summary => {
  const periods = new Map<string, Totals>()
  for (const count of counts) {
    const name = nameOf(kind, count.day)
    periods.set(name, add(periods.get(name) ?? nothing, count))
  }
  const sorted = [...periods].toSorted(([a], [b]) => a < b ? -1 : 1)
  return { total: counts.reduce(add, nothing), periods: sorted.map(([period, totals]) => ({ period, ...totals })) }
}
