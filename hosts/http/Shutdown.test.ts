/** The shutdown of a server: running requests are answered, no new ones are accepted, and no client can block it. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { HttpServer, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"
import { connect } from "node:net"
import { anyFree } from "../localnet/nodes/Port.ts"
import * as Shutdown from "./Shutdown.ts"
import { listenOn } from "./Listening.ts"

/** Whether nobody listens at the port. */
const isRefused = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resume(Effect.succeed(false))
    })
    socket.once("error", () => resume(Effect.succeed(true)))
  })

it.live("a running request is answered with `connection: close`, and a new one is refused", () =>
  Effect.gen(function*() {
    const port = yield* anyFree
    const url = `http://127.0.0.1:${port}/`
    const [arrived, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const served = Layer.unwrap(Effect.map(Shutdown.Shutdown, (ending) =>
      HttpServer.serve(
        Deferred.succeed(arrived, undefined).pipe(
          Effect.andThen(Deferred.await(mayEnd)),
          Effect.as(HttpServerResponse.text("done")),
          Shutdown.withShutdown(ending, "/ready")
        )
      )))
    const scope = yield* Scope.make()
    yield* Layer.buildWithScope(
      listenOn({ host: "127.0.0.1", port, endingDelay: 0 })(served).pipe(Layer.provide(Shutdown.layerShutdown)),
      scope
    )
    const running = fetch(url).then(async (
      response
    ) => [response.status, await response.text(), response.headers.get("connection")])
    yield* Deferred.await(arrived)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* Effect.repeat(isRefused(port), { until: (yes) => yes })
    const refused = yield* Effect.promise(() =>
      fetch(url).then(() => "answered", (error: unknown) => error instanceof Error ? String(error.cause) : "")
    )
    assert.include(refused, "ECONNREFUSED")
    yield* Deferred.succeed(mayEnd, undefined)
    assert.deepStrictEqual(yield* Effect.promise(() => running), [200, "done", "close"])
    yield* Fiber.join(closing)
  }))

it.effect("readiness is 503 for the delay; then connections that do not finish, or never send a request, are closed", () =>
  Effect.gen(function*() {
    const ending = yield* Shutdown.Shutdown
    // Accepts every request and answers none.
    const server = createServer(() => undefined)
    const port = yield* Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    })
    const open = (text: string) =>
      Effect.callback<{ readonly closed: Promise<void> }>((resume) => {
        const socket = connect(port, "127.0.0.1", () => {
          socket.write(text)
          const closed = new Promise<void>((done) => {
            socket.on("error", () => undefined).on("close", () => done())
          })
          resume(Effect.succeed({ closed }))
        })
      })
    const cut = [yield* open("GET / HTTP/1.1\r\nhost: x\r\n\r\n"), yield* open("GET / HT")]
    const ended = yield* Effect.forkChild(Shutdown.end(ending, server, 6_000))
    yield* TestClock.adjust("5 seconds")
    assert.isTrue(ending.hasBegun())
    assert.isTrue(server.listening)
    yield* TestClock.adjust("1 second")
    yield* Effect.promise(() =>
      new Promise((resume) => {
        setImmediate(() => setImmediate(resume))
      })
    )
    assert.isFalse(server.listening)
    yield* ending.isClosing
    yield* TestClock.adjust("15 seconds")
    yield* Fiber.join(ended)
    yield* Effect.promise(() => Promise.all(cut.map(({ closed }) => closed)))
  }).pipe(Effect.provide(Shutdown.layerShutdown)))
