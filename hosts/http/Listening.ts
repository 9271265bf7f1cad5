/**
 * Serves strangers on a port, with bounds on silent connections. Logs the address once it listens, and shuts down in
 * good order. When the port is not available, the error names it.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import * as NetAddress from "effect/net/NetAddress"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { layerServingStrangers } from "../observability/Sampling.ts"
import type { Direct } from "./ahead/DirectReads.ts"
import { leanContext } from "./context/LeanContext.ts"
import * as Shutdown from "./Shutdown.ts"
import { makeBoundedServer } from "./SilentConnections.ts"

/** The host cannot serve. The message says what to change. */
export class CannotListen extends Error {
  readonly _tag = "CannotListen"
}

export interface Listening {
  readonly host: string
  readonly port: number
  /** Milliseconds after a signal in which requests are still accepted while readiness is 503. */
  readonly endingDelay: number
  /** Asked before the application. */
  readonly direct?: Direct | undefined
}

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "unknown"

/** The meaning of the system's error code, for the operator who chose the address. */
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process already listens there: stop it, or choose another port",
  EACCES: "this user may not listen there: choose a port above 1023",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "this machine has no such address"
}

const listening = ({ host, port }: Listening, server: Server) =>
  Effect.callback<void, CannotListen>((resume) => {
    const refused = (cause: unknown) => {
      const code = codeOf(cause)
      resume(Effect.fail(new CannotListen(`cannot listen on ${host}:${port}: ${reasons[code] ?? code}`)))
    }
    server.once("error", refused)
    server.listen({ port, host }, () => {
      server.off("error", refused)
      resume(Effect.void)
    })
  })

/** The address that the system chose. */
const addressOf = (server: Server) => {
  const address = server.address()
  return typeof address === "object" && address !== null
    ? Effect.orDie(Effect.fromResult(NetAddress.inetAddressFromIpString(address.address, address.port)))
    : Effect.die(new Error("the server listens on no port"))
}

/**
 * Effect's HTTP server over this one. Effect's own layer has no place for what is asked before the application; its
 * handler is the same. `announced` ends the server, before the things that it serves are closed.
 */
const makeServer = Effect.fnUntraced(function*(at: Listening, server: Server) {
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
  yield* listening(at, server)
  const { direct } = at
  return HttpServer.make({
    address: yield* addressOf(server),
    serve: Effect.fnUntraced(function*(app, middleware) {
      const scope = yield* Effect.scope
      const handler = yield* NodeHttpServer.makeHandler<HttpServerRequest.HttpServerRequest | Scope.Scope, unknown>(
        app,
        {
          middleware,
          scope: Scope.forkUnsafe(scope, "parallel")
        }
      ).pipe(Effect.updateContext(leanContext<never>))
      const listener = (request: IncomingMessage, response: ServerResponse) => {
        const routed = () => handler(request, response)
        if (direct === undefined || !direct(request, response, routed)) routed()
      }
      yield* Effect.addFinalizer(() => Effect.sync(() => server.off("request", listener)))
      server.on("request", listener)
    })
  })
})

const serverAt = (at: Listening, made: Server) =>
  Layer.merge(Layer.effect(HttpServer.HttpServer, makeServer(at, made)), NodeHttpServer.layerHttpServices)

/** Logs the address, and shuts down without a failed request when its scope closes. */
const announced = (made: Server, delay: number) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const ending = yield* Shutdown.Shutdown
    yield* Effect.addFinalizer(() => Shutdown.end(ending, made, delay))
    yield* HttpServer.addressFormattedWith((address) => Effect.logInfo(`listening on ${address}`))
  }))

/** Provide the application first: requests arrive from now on. */
export const listenOn = (at: Listening) => <A, E, R>(served: Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.sync(() => {
    const made = makeBoundedServer()
    return Layer.provideMerge(announced(made, at.endingDelay), served).pipe(
      Layer.provide([serverAt(at, made), layerServingStrangers])
    )
  }))
