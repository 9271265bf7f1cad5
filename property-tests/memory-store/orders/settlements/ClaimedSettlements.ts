/** Settlements that are due: claimed by a worker for a time, and concluded by it. */
import type { ClaimedSettlement, Conclusion } from "../../../../ports/store/orders/Settlements.ts"
import { ascending } from "../../Ordering.ts"
import type { SettlementRow } from "../../rows/OrderRows.ts"
import type { Tables } from "../../Tables.ts"

/** Claims those that are due, the longest due first. */
export const claim = (
  { settlements, settlementsIn }: Tables,
  now: number,
  leasedUntil: number,
  limit: number
): ReadonlyArray<ClaimedSettlement> =>
  settlementsIn("open").filter((row) => row.dueAt <= now && row.leasedUntil <= now).toSorted(
    ascending(({ dueAt }) => dueAt, ({ deposit }) => deposit)
  ).slice(0, limit).map((row) => {
    settlements.set(row.deposit, { ...row, leasedUntil })
    const { attempts, deposit, failures, lookedReason, looksAlike, orderId } = row
    return {
      deposit,
      orderId,
      attempts,
      failures,
      alike: lookedReason === undefined ? undefined : { reason: lookedReason, looks: looksAlike },
      leasedUntil
    }
  })

/** When the next one can be claimed, up to a time. */
export const nextDue = ({ settlementsIn }: Tables, until: number): number | undefined => {
  const due = settlementsIn("open").map((row) => Math.max(row.dueAt, row.leasedUntil)).filter((at) => at <= until)
  return due.length === 0 ? undefined : Math.min(...due)
}

const concluded = (row: SettlementRow, conclusion: Conclusion, at: number): SettlementRow => {
  switch (conclusion._tag) {
    case "Later": {
      const { dueAt, reason } = conclusion
      const looksAlike = row.lookedReason === reason ? row.looksAlike + 1 : 1
      return { ...row, reason, attempts: row.attempts + 1, dueAt, leasedUntil: 0, looksAlike, lookedReason: reason }
    }
    case "Unreached":
      return { ...row, reason: conclusion.reason, dueAt: conclusion.dueAt, leasedUntil: 0 }
    case "Settled": {
      const { checkAt, on: settledOn } = conclusion
      return { ...row, state: "settled", reason: null, leasedUntil: 0, endedAt: at, settledOn, checkAt }
    }
    case "Excluded":
      return { ...row, state: "excluded", reason: null, leasedUntil: 0, endedAt: at }
    case "Refused":
      return { ...row, state: "refused", reason: conclusion.reason, leasedUntil: 0, endedAt: at }
  }
}

/** Does nothing when another worker has the lease. */
export const conclude = (
  { settlements }: Tables,
  { deposit, leasedUntil }: ClaimedSettlement,
  conclusion: Conclusion,
  at: number
): void => {
  settlements.change(
    deposit,
    (row) => row.state === "open" && row.leasedUntil === leasedUntil ? concluded(row, conclusion, at) : row
  )
}
