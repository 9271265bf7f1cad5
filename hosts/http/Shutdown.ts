/**
 * Shuts a host down without a failed request, and announces each stage of the shutdown.
 *
 * After SIGTERM the host first only announces it for `delay`: readiness is 503 and every answer closes its connection,
 * while requests are still accepted. Then it accepts no new connection and ends its streams. Running requests are
 * answered; those without an answer after `PATIENCE` are cut off. A killed process does none of this, and correctness
 * does not depend on it.
 */
import { Context, Effect, Latch, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Server } from "node:http"
import { pathOf } from "./PathOf.ts"

/** The time for running requests after the last new one. */
const PATIENCE = "15 seconds"

export class Shutdown extends Context.Service<Shutdown, {
  /** True from the signal on. */
  readonly hasBegun: () => boolean
  /** Completes when no new requests are accepted: endless answers end now. */
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

/** One for the process. All its parts end with it. */
export const layerShutdown = Layer.effect(Shutdown, make)

/** The readiness answer while requests are still accepted. */
const leaving = HttpServerResponse.jsonUnsafe({ status: "not ready", problems: ["this process is shutting down"] }, {
  status: 503
})

/** During the shutdown: 503 on the readiness path, and `connection: close` on every answer. */
export const withShutdown =
  (ending: Shutdown["Service"], readiness: string) =>
  <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) =>
        Effect.map(ending.hasBegun() && pathOf(request) === readiness ? Effect.succeed(leaving) : app, (response) =>
          // Read when the answer exists: it may be the last answer on a connection that was idle until now.
          ending.hasBegun() ? HttpServerResponse.setHeader(response, "connection", "close") : response)
    )

const closed = (server: Server) =>
  Effect.callback<void>((resume) => {
    if (!server.listening) return resume(Effect.void)
    // After the event loop has accepted pending connections: closing a server resets those that still wait. This also
    // ends idle connections.
    setImmediate(() => server.close(() => resume(Effect.void)))
  })

/**
 * Ends a server. Run it before the things that it serves are closed. `delay`: milliseconds in which requests are still
 * accepted.
 */
export const end = (ending: Shutdown["Service"], server: Server, delay: number) =>
  Effect.gen(function*() {
    yield* ending.begin
    yield* Effect.logInfo("shutting down: no longer ready")
    yield* Effect.sleep(delay)
    yield* ending.close
    yield* Effect.timeoutOption(closed(server), PATIENCE)
    yield* Effect.sync(() => server.closeAllConnections())
  })
