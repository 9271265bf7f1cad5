/** What all open streams of statuses share, however they are answered: the process's feed, and the clients' slots. */
import { Context, Effect, Layer } from "effect"
import { Statuses } from "../../../../src/services/requests/Statuses.ts"
import { Shutdown } from "../../../http/Shutdown.ts"
import { tooMany } from "../../middleware/Refusals.ts"
import { makeStreamSlots } from "../../middleware/StreamSlots.ts"
import type { StreamSlots } from "../../middleware/StreamSlots.ts"
import { makeStatusFeed } from "./StatusFeed.ts"
import type { StatusFeed } from "./StatusFeed.ts"

export const STREAM_TYPE = "text/event-stream"

/** The connection carries nothing but the stream: when the process ends the stream, no other answer is in flight on it. */
export const STREAM_HEADERS = { "cache-control": "no-store", "x-accel-buffering": "no", connection: "close" }

export const tooManyStreams = tooMany("20 streams are open from your address: close one first", 5)

export class StatusStreams extends Context.Service<StatusStreams, {
  readonly feed: StatusFeed
  readonly slots: StreamSlots
}>()("causeway/transfer/StatusStreams") {}

/**
 * When the host closes its streams, clients reconnect to another process, and continue after the last event that they
 * have seen.
 */
export const layer = Layer.effect(
  StatusStreams,
  Effect.gen(function*() {
    const feed = yield* makeStatusFeed(yield* Statuses, (yield* Shutdown).isClosing)
    return { feed, slots: makeStreamSlots() }
  })
)
