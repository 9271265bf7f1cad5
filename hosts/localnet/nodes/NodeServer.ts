/** The HTTP server of a local node, on one port of the loopback, until the scope closes. */
import { Effect } from "effect"
import type { Scope } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { StatusAlone } from "./NodeFault.ts"

export interface Said {
  readonly status: number
  /** A text is sent as it is, anything else as JSON. */
  readonly body: unknown
}

export const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/**
 * Milliseconds that an idle connection stays open. Clients close theirs earlier: a server that does may close one just
 * as a request goes out, and not every client library asks again.
 */
export const IDLE_MS = 600_000

/**
 * The port was free when it was chosen, so it dies when the port cannot be bound. Open connections are cut off at the
 * end.
 */
export const listenOn = (server: Server, port: number): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.keepAliveTimeout = IDLE_MS
      server.once("error", (cause) => resume(Effect.die(cause)))
      server.listen(port, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

const write = (response: ServerResponse, { body, status }: Said): void => {
  const isText = typeof body === "string"
  response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json" }).end(
    isText ? body : JSON.stringify(body)
  )
}

/** Serves `answer`. A throw is answered with the status `broken`, without a body. */
export const serveNode = (
  port: number,
  broken: number,
  answer: (request: IncomingMessage) => Promise<Said>
): Effect.Effect<void, never, Scope.Scope> =>
  listenOn(
    createServer((request, response) => {
      answer(request).then(
        (said) => write(response, said),
        (cause: unknown) => response.writeHead(cause instanceof StatusAlone ? cause.status : broken).end()
      )
    }),
    port
  )
