/**
 * Notices of the store in memory (`StoreNotices`), counted by topic as triggers do on SQLite: in the transaction that
 * writes, so that what is taken back has counted nothing. They are told after the commit, and none is lost.
 */
import * as Effect from "effect/Effect"
import { STORE_TOPICS } from "../../ports/store/operations/StoreNotices.ts"
import type { StoreTopic } from "../../ports/store/operations/StoreNotices.ts"
import { makeTable } from "./Table.ts"
import type { Journal, Table } from "./Table.ts"
import type { Tables } from "./Tables.ts"

interface Queued {
  readonly state: string
  readonly round: number
}

/** Counts rows that are added to a queue, or are in it again in another round. */
const countQueued = <Row extends Queued>(table: Table<Row>, state: Row["state"], count: () => void): void =>
  table.watch((before, after) => {
    if (after?.state === state && (before === undefined || before.round !== after.round)) count()
  })

const countChanges = (tables: Tables, count: (topic: StoreTopic) => void): void => {
  const { addresses, callLosses, deliveries, depositKeys, deposits, depositsOfOrder, pauses, payouts, permits } = tables
  const { restorations, submissions, sweeps } = tables
  addresses.watch((before, after) => {
    if (after === undefined || before?.touchedAt === after.touchedAt) return
    const { kept: { address, chainId }, touchedAt } = after
    const isFirst = !addresses.all().some((other) =>
      other.kept.chainId === chainId && other.touchedAt >= touchedAt - 300_000 && other.kept.address !== address
    )
    if (isFirst) count("deposit-addresses")
  })
  callLosses.watch((before, after) => {
    if (before !== undefined && after !== undefined && before.usdMicros !== after.usdMicros) count("call-losses")
  })
  depositKeys.watch((before, after) => {
    if (before === undefined || before.number % 16 !== 0) return
    if (after === undefined || before.orderId !== after.orderId) count("deposit-keys")
  })
  tables.directCursors.watch((before) => {
    if (before === undefined) count("direct-payments")
  })
  tables.directPayments.watch((before, after) => {
    if (after?.state === "seen" && before?.state !== "seen") count("direct-payments")
  })
  pauses.watch((before, after) => {
    if (before === undefined || after === undefined) count("pauses")
  })
  restorations.watch((before, after) => {
    if (before?.restoredAt !== after?.restoredAt || before?.settledAt !== after?.settledAt) count("restorations")
  })
  countQueued(sweeps, "queued", () => count("sweeps"))
  countQueued(permits, "queued", () => count("permits"))
  countQueued(payouts, "open", () => count("payouts"))
  submissions.watch((before, after) => {
    if (after !== undefined && (before === undefined || (after.state === "open" && before.state !== "open"))) {
      count("submissions")
    }
  })
  deposits.watch((before, after) => {
    if (after === undefined) return
    const isSighted = after.state === "open" && before?.sighting !== after.sighting
    // Few deposits of one order are filled at a time, so the end of one lets another begin.
    const isEnded = before?.state === "open" && after.state !== "open"
    if (isSighted || (isEnded && depositsOfOrder(after.depositId).some(({ state }) => state === "open"))) {
      count("deposits")
    }
  })
  deliveries.watch((before) => {
    if (before === undefined) count("webhooks")
  })
}

/** The notices of these tables. */
export const makeNotices = (journal: Journal, tables: Tables) => {
  const counts = makeTable<number>(journal)
  const heard = new Map<StoreTopic, number>()
  const waiting = new Map<StoreTopic, Set<() => void>>()
  const countOf = (topic: StoreTopic) => counts.get(topic) ?? 0
  const heardOf = (topic: StoreTopic) => heard.get(topic) ?? 0
  countChanges(tables, (topic) => counts.set(topic, countOf(topic) + 1))
  return {
    heard: heardOf,
    /** Returns once more was committed about the topic than `known`. */
    after: (topic: StoreTopic, known: number): Effect.Effect<void> =>
      Effect.callback((resume) => {
        if (heardOf(topic) > known) return resume(Effect.void)
        const wake = () => resume(Effect.void)
        const woken = waiting.get(topic) ?? new Set()
        waiting.set(topic, woken.add(wake))
        return Effect.sync(() => woken.delete(wake))
      }),
    /** Called after each commit. */
    tell: (): void => {
      const topics = STORE_TOPICS.filter((topic) => countOf(topic) !== heardOf(topic))
      for (const topic of topics) heard.set(topic, countOf(topic))
      // Woken after all are counted: whoever is woken goes on at once.
      const woken = topics.flatMap((topic) => [...waiting.get(topic) ?? []])
      for (const topic of topics) waiting.delete(topic)
      for (const wake of woken) wake()
    }
  }
}
