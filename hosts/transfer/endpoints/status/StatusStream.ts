/**
 * The state of a request as server-sent events (STATUS-5): the current state, then every change in order, a comment
 * every 15 s, and the end after a terminal state. With Last-Event-ID, every change since that event.
 *
 * This is the router's way, where a stream is one fiber that waits for the process's feed. `DirectStreams` sends the
 * same events without a fiber.
 */
import { Clock, Effect, Option, Stream } from "effect"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import type { Statuses } from "../../../../src/services/requests/Statuses.ts"
import { COMMENT, COMMENT_EVERY_MS, statusEvents } from "./StatusEvents.ts"
import type { Batch } from "./StatusEvents.ts"
import type { StatusFeed } from "./StatusFeed.ts"

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
  const events = statusEvents(statuses)

  const sent = ({ ended, last, text }: Batch, commentAt: number): Step => [
    text === "" ? [] : [text],
    ended ? Option.none() : Option.some({ last, commentAt })
  ]

  const begin = Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => Effect.map(events.first(id, lastSeen), (batch) => sent(batch, now + COMMENT_EVERY_MS))
  )

  const goOn = ({ commentAt, last }: Position): Effect.Effect<Step, StoreUnavailable> =>
    Effect.flatMap(feed.next(id, last, commentAt), (why): Effect.Effect<Step, StoreUnavailable> => {
      switch (why) {
        case "changed":
          return Effect.map(events.after(id, last), (batch) => sent(batch, commentAt))
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
