/**
 * The state of a request as server-sent events (STATUS-5): the current state, then every change in order, a comment
 * every 15 s, and the end after a terminal state. With Last-Event-ID, every change since that event.
 *
 * Each stream polls the store a few times a second: the changes are made by workers, which may be other processes, and
 * only stored changes count.
 */
import { Duration, Effect, Ref, Stream } from "effect"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import type { TransferEvent } from "../../../../ports/store/orders/TransferHistory.ts"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { isTerminal } from "../../../../src/domain/transfer/Status.ts"
import { transferAt } from "../../../../src/services/requests/Statuses.ts"
import type { Statuses } from "../../../../src/services/requests/Statuses.ts"
import type { IntentStatus } from "./StatusApi.ts"
import { encodeStatus } from "./StatusAnswers.ts"
import { statusRow, unknownStatus } from "../../routes/Rows.ts"

const POLL = Duration.millis(300)
const COMMENT_EVERY = Duration.seconds(15)

const eventText = (id: number, status: IntentStatus): string =>
  `event: status\nid: ${id}\ndata: ${encodeStatus(status)}\n\n`

interface Batch {
  readonly text: string
  readonly last: number
  readonly ended: boolean
}

const nothing = (last: number): Batch => ({ text: "", last, ended: false })

export const statusStream = (
  statuses: Statuses["Service"],
  id: RequestId,
  lastSeen: number | undefined
): Stream.Stream<string, StoreUnavailable> => {
  /** The events after the event `seen`. When nothing was sent yet, at least the current state. */
  const next = Effect.fnUntraced(function*(seen: number, isFirst: boolean) {
    const changes = yield* statuses.changesAfter(id, seen)
    const latest = changes.at(-1)
    if (latest === undefined && !isFirst) return nothing(seen)
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
    const told = isFirst && lastSeen === undefined ? [latest] : changes
    const rowOf = (event: TransferEvent) => statusRow({ ...known, transfer: transferAt(known.transfer, event) })
    const text = told.map((event) => eventText(event.sequence, rowOf(event))).join("")
    return { text, last: latest.sequence, ended: isTerminal(latest.status) } satisfies Batch
  })

  const events = Stream.unwrap(Effect.gen(function*() {
    const seen = yield* Ref.make({ last: lastSeen ?? -1, isFirst: true })
    const poll = Effect.gen(function*() {
      const { isFirst, last } = yield* Ref.get(seen)
      if (!isFirst) yield* Effect.sleep(POLL)
      const batch = yield* next(last, isFirst)
      yield* Ref.set(seen, { last: batch.last, isFirst: false })
      return batch
    })
    return Stream.fromEffectRepeat(poll).pipe(
      Stream.takeUntil(({ ended }) => ended),
      Stream.map(({ text }) => text),
      Stream.filter((text) => text !== "")
    )
  }))

  const comments = Stream.fromEffectRepeat(Effect.as(Effect.sleep(COMMENT_EVERY), ": still here\n\n"))
  return Stream.merge(events, comments, { haltStrategy: "left" })
}
