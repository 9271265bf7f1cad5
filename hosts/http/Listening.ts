/**
 * Serves strangers on a port, with bounds on silent connections. Logs the address once it listens, and shuts down in
 * good order. When the port is not available, the error names it.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import type { Server } from "node:http"
import { layerServingStrangers } from "../observability/Sampling.ts"
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

const serverAt = ({ host, port }: Listening, made: Server) => {
  // We end the server ourselves, before the things that it serves are closed.
  const served = NodeHttpServer.layer(() => made, { port, host, disablePreemptiveShutdown: true })
  const refused = (cause: unknown): Effect.Effect<typeof served, CannotListen> => {
    const code = codeOf(cause)
    return Effect.fail(new CannotListen(`cannot listen on ${host}:${port}: ${reasons[code] ?? code}`))
  }
  return Layer.catchTag(served, "ServeError", ({ cause }) => Layer.unwrap(refused(cause)))
}

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
