/**
 * How a host takes leave without a failed request: the moments of its end, told to whoever has to act on them.
 *
 * After SIGTERM it first only says so: readiness is 503 and every answer closes its connection, while requests are
 * still taken, for `delay`. Then it takes no new connection and ends its streams; what runs is answered, and what is
 * not answered after `PATIENCE` is cut off. Not for a process that is killed: nothing here is needed for that one's
 * correctness.
 */
import { Context, Effect, Latch, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Server } from "node:http"
import { pathOf } from "./PathOf.ts"

/** How long requests that are running may take once no new one is taken. */
const PATIENCE = "15 seconds"

export class Shutdown extends Context.Service<Shutdown, {
  /** True from the signal on. */
  readonly hasBegun: () => boolean
  /** Completes when nothing new is taken: what would answer for ever ends its answer now. */
  readonly isClosing: Effect.Effect<void>
  readonly begin: Effect.Effect<void>
  readonly close: Effect.Effect<void>
}>()("causeway/hosts/Ending") {}

const make = Effect.sync(() => {
  let begun = false
  const closing = Latch.makeUnsafe(false)
  return Shutdown.of({
    hasBegun: () => begun,
    isClosing: closing.await,
    begin: Effect.sync(() => {
      begun = true
    }),
    close: Effect.asVoid(closing.open)
  })
})

/** Of one process: everything of it that ends, ends with it. */
export const layerShutdown = Layer.effect(Shutdown, make)

/** Told to whoever asks for readiness while requests are still taken. */
const leaving = HttpServerResponse.jsonUnsafe({ status: "not ready", problems: ["this process is ending"] }, {
  status: 503
})

/** While the host ends: 503 on the path of its readiness, and `connection: close` on every answer. */
export const withShutdown =
  (ending: Shutdown["Service"], readiness: string) =>
  <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) =>
        Effect.map(ending.hasBegun() && pathOf(request) === readiness ? Effect.succeed(leaving) : app, (response) =>
          // Asked when the answer is there: it may be the last one of a connection that was quiet until now.
          ending.hasBegun() ? HttpServerResponse.setHeader(response, "connection", "close") : response)
    )

const closed = (server: Server) =>
  Effect.callback<void>((resume) => {
    if (!server.listening) return resume(Effect.void)
    // Right after the loop has taken what waited to be accepted: what still waits when a server closes is reset. This
    // also ends the connections on which nothing runs.
    setImmediate(() => server.close(() => resume(Effect.void)))
  })

/**
 * The end of a server, to be run before what it serves goes. `delay`: milliseconds in which requests are still taken.
 */
export const end = (ending: Shutdown["Service"], server: Server, delay: number) =>
  Effect.gen(function*() {
    yield* ending.begin
    yield* Effect.logInfo("ending: no longer ready")
    yield* Effect.sleep(delay)
    yield* ending.close
    yield* Effect.timeoutOption(closed(server), PATIENCE)
    yield* Effect.sync(() => server.closeAllConnections())
  })
