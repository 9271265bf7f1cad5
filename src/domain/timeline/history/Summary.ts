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
}

/** What was captured for the requests of one day. */
export interface DayCapture {
  /** Days since the Unix epoch, in UTC. */
  readonly day: number
  readonly captured: MicroUsdc
}

/** The requests of a range of days, and what was captured for them. */
export interface DayCounts {
  readonly requests: ReadonlyArray<DayCount>
  readonly captured: ReadonlyArray<DayCapture>
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

const add = (totals: Totals, { requests, sponsoredRequests, status }: DayCount): Totals => ({
  ...totals,
  requests: totals.requests + requests,
  sponsoredRequests: totals.sponsoredRequests + sponsoredRequests,
  byStatus: { ...totals.byStatus, [status]: totals.byStatus[status] + requests }
})

const addCaptured = (totals: Totals, { captured }: DayCapture): Totals => ({
  ...totals,
  captured: MicroUsdc(totals.captured + captured)
})

const nameOf = (kind: PeriodKind, day: number): string => kind === "day" ? dateOf(day) : dateOf(day).slice(0, 7)

/** Adds up the counts of days. */
export const summarise = (kind: PeriodKind, { captured, requests }: DayCounts): Summary => {
  const periods = new Map<string, Totals>()
  const put = <Day extends { readonly day: number }>(days: ReadonlyArray<Day>, sum: (to: Totals, day: Day) => Totals) =>
    days.forEach((each) => {
      const name = nameOf(kind, each.day)
      periods.set(name, sum(periods.get(name) ?? nothing, each))
    })
  put(requests, add)
  put(captured, addCaptured)
  const sorted = [...periods].toSorted(([a], [b]) => a < b ? -1 : 1)
  return {
    total: captured.reduce(addCaptured, requests.reduce(add, nothing)),
    periods: sorted.map(([period, totals]) => ({ period, ...totals }))
  }
}
