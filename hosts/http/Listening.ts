/** Serves on a port, and says where it listens once it does; a port that cannot be had is said with its number. */
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { createServer } from "node:http"

/** The host does not serve: what to change is in the message. */
export class CannotListen extends Error {
  readonly _tag = "CannotListen"
}

export interface Listening {
  readonly host: string
  readonly port: number
}

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : "unknown"

/** What the system's code means for whoever chose the address. */
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "something listens there already: end it, or choose another port",
  EACCES: "this user may not listen there: choose a port above 1023",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "this machine has no such address"
}

const server = ({ host, port }: Listening) => {
  const served = NodeHttpServer.layer(createServer, { port, host })
  const refused = (cause: unknown): Effect.Effect<typeof served, CannotListen> => {
    const code = codeOf(cause)
    return Effect.fail(new CannotListen(`cannot listen on ${host}:${port}: ${reasons[code] ?? code}`))
  }
  return Layer.catchTag(served, "ServeError", ({ cause }) => Layer.unwrap(refused(cause)))
}

export const listenOn = (at: Listening) => <A, E, R>(served: Layer.Layer<A, E, R>) =>
  Layer.provideMerge(
    Layer.effectDiscard(HttpServer.addressFormattedWith((address) => Effect.logInfo(`listening on ${address}`))),
    served
  ).pipe(Layer.provide(server(at)))
