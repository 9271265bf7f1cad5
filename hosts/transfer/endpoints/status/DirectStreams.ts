/**
 * GET /intents/status/stream ahead of the router, on Node's own response (STATUS-5). Ten thousand may be open, so an
 * open stream keeps its connection and its place among the waiting: no fiber, no context and no timer. Only while it
 * reads the store a fiber runs for it. `StatusStream` is the router's way, for every other spelling.
 */
import { Cause, Clock, Effect } from "effect"
import type { Fiber, Scope } from "effect"
import { HttpServerResponse } from "effect/http"
import type { ServerResponse } from "node:http"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { Statuses } from "../../../../src/services/requests/Statuses.ts"
import { answerer, hasBody } from "../../../http/ahead/DirectReads.ts"
import type { Direct } from "../../../http/ahead/DirectReads.ts"
import { noteTransfer } from "../../../http/RequestNotes.ts"
import type { ClientAddress } from "../../middleware/ClientAddress.ts"
import { callerIn, makeFrame, oneHeader, unavailable } from "../DirectFrame.ts"
import type { DirectSettings } from "../DirectFrame.ts"
import { COMMENT, COMMENT_EVERY_MS, lastSeenIn, statusEvents } from "./StatusEvents.ts"
import type { Batch, StatusEvents } from "./StatusEvents.ts"
import type { Wake } from "./StatusFeed.ts"
import { STREAM_HEADERS, STREAM_TYPE, StatusStreams, tooManyStreams } from "./StatusStreams.ts"

const PATH = "/intents/status/stream"

const streamUrl = /^\/intents\/status\/stream\?requestId=(0x[0-9a-f]{64})$/u

/** The router refuses a longer Last-Event-ID. */
const LONGEST_EVENT_ID = 20

/** A stream whose first events were read. */
interface Begun {
  readonly id: RequestId
  readonly batch: Batch
}

const head = HttpServerResponse.empty({ status: 200, headers: { ...STREAM_HEADERS, "content-type": STREAM_TYPE } })

interface Sending {
  /** Milliseconds. */
  readonly now: () => number
  readonly events: StatusEvents
  readonly wait: StatusStreams["Service"]["feed"]["wait"]
  readonly fork: (reading: Effect.Effect<void>) => Fiber.Fiber<void>
}

/** Sends the events of a stream until it ends, its client leaves or the host closes. */
const send = ({ events, fork, now, wait }: Sending, response: ServerResponse, { batch, id }: Begun): void => {
  let { last } = batch
  let commentAt = now() + COMMENT_EVERY_MS
  let leave = () => {}

  const pause = (): void => {
    if (!response.destroyed) leave = wait(id, last, commentAt, woken)
  }

  /** A client that does not read is sent nothing more until it does. */
  const write = (text: string): void => {
    if (text === "" || response.write(text)) pause()
    else response.once("drain", pause)
  }

  const sent = (next: Batch): void => {
    last = next.last
    if (next.ended) response.end(next.text)
    else write(next.text)
  }

  const read = Effect.suspend(() => events.after(id, last)).pipe(
    Effect.map(sent),
    Effect.catchCause((cause) => {
      // An incomplete answer tells the client to connect again.
      response.destroy()
      return Cause.hasDies(cause) ? Effect.logError("a stream of statuses failed with a defect", cause) : Effect.void
    })
  )

  const woken = (why: Wake): void => {
    switch (why) {
      case "changed": {
        const fiber = fork(read)
        // One that has ended already waits again, by then.
        if (fiber.pollUnsafe() === undefined) leave = () => fiber.interruptUnsafe()
        return
      }
      case "comment":
        // From now on: a client that did not read for a while gets one comment, not all of that time.
        commentAt = now() + COMMENT_EVERY_MS
        return write(COMMENT)
      case "closing":
        response.end()
    }
  }

  response.once("close", () => leave())
  sent(batch)
}

export const makeDirectStreams = (
  settings: DirectSettings,
  addressOf: ClientAddress
): Effect.Effect<Direct, never, Statuses | StatusStreams | Scope.Scope> =>
  Effect.gen(function*() {
    const events = statusEvents(yield* Statuses)
    const { feed, slots } = yield* StatusStreams
    const frame = makeFrame(settings)
    const answer = yield* answerer()
    const fork = Effect.runForkWith(yield* Effect.context())
    const clock = yield* Clock.Clock
    const sending: Sending = { events, fork, now: () => clock.currentTimeMillisUnsafe(), wait: feed.wait }

    return (request, response) => {
      const id = streamUrl.exec(request.url ?? "")?.[1]
      if (id === undefined || request.method !== "GET" || hasBody(request)) return false
      const lastEvent = oneHeader(request.headers["last-event-id"])
      if (lastEvent !== undefined && lastEvent.length > LONGEST_EVENT_ID) return false
      let begun: Begun | undefined

      const begin = Effect.gen(function*() {
        const requestId = RequestId.make(id)
        yield* noteTransfer(requestId)
        const batch = yield* events.first(requestId, lastSeenIn(lastEvent))
        const client = addressOf(callerIn(request))
        if (slots.isFull(client)) return tooManyStreams
        // A client that has left would never give its slot back.
        if (response.destroyed) return yield* Effect.interrupt
        response.once("close", slots.take(client))
        begun = { id: requestId, batch }
        return head
      }).pipe(Effect.catchTag("StoreUnavailable", unavailable))

      const framed = frame({ request, method: "GET", path: PATH }).answer(() => begin)
      answer(response, framed, (answered) => {
        if (begun === undefined) return false
        response.writeHead(answered.status, answered.headers)
        send(sending, response, begun)
        return true
      })
      return true
    }
  })
