/** Submissions under way, each in a slot of its chain, and those that ended or were undone. */
import * as Result from "effect/Result"
import { MOST_UNDER_WAY, MOST_UNFINAL } from "../../../../ports/store/orders/Settlements.ts"
import type {
  ClaimedSettlement,
  HubGateAt,
  Settlements,
  Submission
} from "../../../../ports/store/orders/Settlements.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import type { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { ascending } from "../../Ordering.ts"
import type { SettlementRow, SubmissionRow } from "../../rows/OrderRows.ts"
import type { Tables } from "../../Tables.ts"

/** A slot that is free on the chain, or none. */
export const freeSlot = ({ submissions }: Tables, chainId: ChainId): number | undefined => {
  const open = submissions.all().filter((row) => row.chainId === chainId && row.state === "open")
  if (open.length >= MOST_UNFINAL) return undefined
  const taken = new Set(open.filter(({ placedAt }) => placedAt === undefined).map(({ slot }) => slot))
  return Array.from({ length: MOST_UNDER_WAY }, (_, slot) => slot).find((slot) => !taken.has(slot))
}

/** Fails, and takes back what it wrote, without a slot or without the lease of a member. */
export const submit = (
  tables: Tables,
  { calls, chainId, createdAt, gate, id }: Submission & HubGateAt,
  members: ReadonlyArray<ClaimedSettlement>
): Result.Result<true, "NotMade"> => {
  const slot = freeSlot(tables, chainId)
  if (slot === undefined || tables.submissions.has(id)) return Result.fail("NotMade")
  tables.submissions.add(id, {
    id,
    chainId,
    gate,
    calls,
    slot,
    createdAt,
    state: "open",
    placedAt: undefined,
    endedAt: undefined
  })
  for (const { deposit, leasedUntil } of members) {
    const row = tables.settlements.get(deposit)
    if (row?.state !== "open" || row.leasedUntil !== leasedUntil) return Result.fail("NotMade")
    tables.settlements.set(deposit, { ...row, state: "submitted", submission: id, reason: null, leasedUntil: 0 })
  }
  return Result.succeed(true)
}

/** The submission of a payment that is signed or sent is tracked, whether or not it has ended. */
export const underWay = (tables: Tables): ReadonlyArray<Submission> => {
  const inFlight = tables.payments.all().filter(({ leg, state }) =>
    leg === "settlement" && (state === "signed" || state === "sent")
  )
  const tracked = new Set([
    ...tables.submissions.all().filter(({ state }) => state === "open").map(({ id }): string => id),
    ...inFlight.map(({ orderId }): string => orderId)
  ])
  return [...tracked].flatMap((id) => tables.submissions.get(id) ?? []).toSorted(
    ascending(({ createdAt }) => createdAt, ({ id }) => id)
  ).map(({ calls, chainId, createdAt, gate, id }) => ({ id, chainId, gate, calls, createdAt }))
}

/** The deposits that a submission is to settle. */
export const membersOf = ({ settlementsOf }: Tables, id: Submission["id"]): ReadonlyArray<SettlementRow> =>
  settlementsOf(id).filter(({ state }) => state === "submitted").toSorted(ascending(({ deposit }) => deposit))

type End = Parameters<Settlements["Service"]["end"]>[1]

/** Returns the deposits that are refused now. */
export const end = (
  tables: Tables,
  id: Submission["id"],
  { checkAt, dueAt, failed, mostFailures, on: settledOn, settled }: End,
  at: number
): ReadonlyArray<Hex32> => {
  const submission = tables.submissions.get(id)
  if (submission?.state !== "open") return []
  tables.submissions.set(id, { ...submission, state: "ended", endedAt: at })
  for (const row of membersOf(tables, id)) {
    tables.settlements.set(
      row.deposit,
      settled.has(row.deposit) ? { ...row, state: "settled", endedAt: at, settledOn, checkAt } : {
        ...row,
        state: "open",
        reason: "not-carried-out",
        dueAt,
        attempts: row.attempts + 1,
        looksAlike: 0,
        failures: row.failures + (failed.has(row.deposit) ? 1 : 0)
      }
    )
  }
  const refused = tables.settlementsOf(id).filter(({ failures, state }) => state === "open" && failures >= mostFailures)
  for (const row of refused) tables.settlements.set(row.deposit, { ...row, state: "refused", endedAt: at })
  return refused.map(({ deposit }) => deposit)
}

/** A submission that has ended is tracked again, in no slot, with all that it had settled. */
export const reopen = (tables: Tables, id: Submission["id"], at: number): boolean => {
  const submission: SubmissionRow | undefined = tables.submissions.get(id)
  const isEnded = submission?.state === "ended"
  if (isEnded) {
    const placedAt = submission.placedAt ?? at
    tables.submissions.set(id, { ...submission, state: "open", placedAt, endedAt: undefined })
  }
  for (const row of tables.settlementsOf(id)) {
    if (row.state !== "settled") continue
    tables.settlements.set(row.deposit, {
      ...row,
      state: "submitted",
      reason: null,
      openedAt: at,
      endedAt: undefined,
      checkAt: undefined
    })
  }
  return isEnded
}

/** What no submission of ours settled is open again. */
export const undone = (tables: Tables, deposit: Hex32, at: number): void => {
  const row = tables.settlements.get(deposit)
  if (row?.state !== "settled") return
  if (row.submission !== undefined) {
    reopen(tables, row.submission, at)
    return
  }
  tables.settlements.set(deposit, {
    ...row,
    state: "open",
    reason: "undone",
    dueAt: at,
    openedAt: at,
    attempts: 0,
    looksAlike: 0,
    leasedUntil: 0,
    endedAt: undefined,
    checkAt: undefined
  })
}
