/**
 * The texts of a stream of statuses (STATUS-5): what is sent when it begins, and when its request has changed. How they
 * are sent is not decided here.
 */
import { Effect } from "effect"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import type { TransferEvent } from "../../../../ports/store/orders/TransferHistory.ts"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { isTerminal } from "../../../../src/domain/transfer/Status.ts"
import { transferAt } from "../../../../src/services/requests/Statuses.ts"
import type { Statuses } from "../../../../src/services/requests/Statuses.ts"
import { statusRow, unknownStatus } from "../../routes/Rows.ts"
import { encodeStatus } from "./StatusAnswers.ts"
import type { IntentStatus } from "./StatusApi.ts"

export const COMMENT_EVERY_MS = 15_000
export const COMMENT = ": still here\n\n"

/** What is sent at once. */
export interface Batch {
  /** Empty when there is nothing new. */
  readonly text: string
  /** The sequence of the last event that was sent. */
  readonly last: number
  readonly ended: boolean
}

const eventText = (id: number, status: IntentStatus): string =>
  `event: status\nid: ${id}\ndata: ${encodeStatus(status)}\n\n`

/** The sequence that a client names in Last-Event-ID. Undefined when it names none. */
export const lastSeenIn = (lastEventId: string | undefined): number | undefined =>
  lastEventId !== undefined && /^\d{1,9}$/u.test(lastEventId) ? Number(lastEventId) : undefined

export interface StatusEvents {
  /** At least the current state, and for a client that names the last event it has seen, every change since. */
  readonly first: (id: RequestId, lastSeen: number | undefined) => Effect.Effect<Batch, StoreUnavailable>
  /** Every change after the event `seen`. */
  readonly after: (id: RequestId, seen: number) => Effect.Effect<Batch, StoreUnavailable>
}

export const statusEvents = (statuses: Pick<Statuses["Service"], "changesAfter" | "find">): StatusEvents => {
  const read = Effect.fnUntraced(function*(id: RequestId, seen: number, which: "all" | "last", isFirst: boolean) {
    const changes = yield* statuses.changesAfter(id, seen)
    const latest = changes.at(-1)
    if (latest === undefined && !isFirst) return { text: "", last: seen, ended: false } satisfies Batch
    const known = yield* statuses.find(id)
    if (known === undefined) return { text: eventText(0, unknownStatus), last: 0, ended: true } satisfies Batch
    if (latest === undefined) {
      return {
        text: eventText(seen, statusRow(known)),
        last: seen,
        ended: isTerminal(known.transfer.status)
      } satisfies Batch
    }
    // Only the last change is the current state. An earlier one has its own state, reason and time.
    const told = which === "last" ? [latest] : changes
    const rowOf = (event: TransferEvent) => statusRow({ ...known, transfer: transferAt(known.transfer, event) })
    const text = told.map((event) => eventText(event.sequence, rowOf(event))).join("")
    return { text, last: latest.sequence, ended: isTerminal(latest.status) } satisfies Batch
  })
  return {
    first: (id, lastSeen) => lastSeen === undefined ? read(id, -1, "last", true) : read(id, lastSeen, "all", true),
    after: (id, seen) => read(id, seen, "all", false)
  }
}
