/**
 * The state of a request as server-sent events (STATUS-5): the current state, then every change in order, a comment
 * every 15 s, and the end after a terminal state. With Last-Event-ID, every change since that event.
 *
 * Ten thousand may be open, so a stream is one fiber that waits for the process's feed, without a timer of its own.
 */
import { Clock, Effect, Option, Stream } from "effect"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import type { TransferEvent } from "../../../../ports/store/orders/TransferHistory.ts"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { isTerminal } from "../../../../src/domain/transfer/Status.ts"
import { transferAt } from "../../../../src/services/requests/Statuses.ts"
import type { Statuses } from "../../../../src/services/requests/Statuses.ts"
import type { IntentStatus } from "./StatusApi.ts"
import { encodeStatus } from "./StatusAnswers.ts"
import type { StatusFeed } from "./StatusFeed.ts"
import { statusRow, unknownStatus } from "../../routes/Rows.ts"

const COMMENT_EVERY_MS = 15_000
const COMMENT = ": still here\n\n"

const eventText = (id: number, status: IntentStatus): string =>
  `event: status\nid: ${id}\ndata: ${encodeStatus(status)}\n\n`

interface Batch {
  readonly text: string
  readonly last: number
  readonly ended: boolean
}

/** Where a stream is between two events. */
interface Position {
  /** The sequence of the last event that was sent. */
  readonly last: number
  /** Milliseconds. */
  readonly commentAt: number
}

type Step = readonly [texts: ReadonlyArray<string>, next: Option.Option<Position>]

export const statusStream = (
  statuses: Statuses["Service"],
  feed: StatusFeed,
  id: RequestId,
  lastSeen: number | undefined
): Stream.Stream<string, StoreUnavailable> => {
  /** The events after the event `seen`. When nothing was sent yet, at least the current state. */
  const read = Effect.fnUntraced(function*(seen: number, isFirst: boolean) {
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
    const told = isFirst && lastSeen === undefined ? [latest] : changes
    const rowOf = (event: TransferEvent) => statusRow({ ...known, transfer: transferAt(known.transfer, event) })
    const text = told.map((event) => eventText(event.sequence, rowOf(event))).join("")
    return { text, last: latest.sequence, ended: isTerminal(latest.status) } satisfies Batch
  })

  const sent = ({ ended, last, text }: Batch, commentAt: number): Step => [
    text === "" ? [] : [text],
    ended ? Option.none() : Option.some({ last, commentAt })
  ]

  const begin = Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => Effect.map(read(lastSeen ?? -1, true), (batch) => sent(batch, now + COMMENT_EVERY_MS))
  )

  const goOn = ({ commentAt, last }: Position): Effect.Effect<Step, StoreUnavailable> =>
    Effect.flatMap(feed.next(id, last, commentAt), (why): Effect.Effect<Step, StoreUnavailable> => {
      switch (why) {
        case "changed":
          return Effect.map(read(last, false), (batch) => sent(batch, commentAt))
        case "comment":
          return Effect.succeed([[COMMENT], Option.some({ last, commentAt: commentAt + COMMENT_EVERY_MS })])
        case "closing":
          return Effect.succeed([[], Option.none()])
      }
    })

  return Stream.paginate<Position | undefined, string, StoreUnavailable>(
    undefined,
    (position) => position === undefined ? begin : goOn(position)
  )
}
