/**
 * Answers GETs ahead of the router, on Node's own request: for the few routes that clients poll, where router and
 * middleware would take more of the processor than the answer. Every other request goes the usual way.
 */
import { Effect, Fiber } from "effect"
import type { Scope } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"

/**
 * True when it answers the request, now or later. False: the router does. `routed` hands a request to the router after
 * all, with a body that was read.
 */
export type Direct = (
  request: IncomingMessage,
  response: ServerResponse,
  routed: (request: IncomingMessage) => void
) => boolean

/** Asks one, then the other. */
export const eitherDirect = (one: Direct, other: Direct): Direct => (request, response, routed) =>
  one(request, response, routed) || other(request, response, routed)

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined

/** Direct answers have bytes or no body. */
export const writeAnswer = (
  response: ServerResponse,
  { body, headers, status }: HttpServerResponse.HttpServerResponse
): void => {
  if (response.destroyed) return
  response.writeHead(status, headers)
  if (body._tag === "Uint8Array") response.end(body.text ?? body.body)
  else response.end()
}

/**
 * `find`: the answer of a GET without a body, or undefined for the router. Answers are interrupted when the client
 * leaves and when the scope closes.
 */
export const makeDirect = <R>(
  find: (request: IncomingMessage) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> | undefined
): Effect.Effect<Direct, never, R | Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const fork = Effect.runForkWith(yield* Effect.context<R>())
    return (request, response) => {
      if (request.method !== "GET" || hasBody(request)) return false
      const answer = find(request)
      if (answer === undefined) return false
      const fiber = fork(Effect.map(answer, (answered) => writeAnswer(response, answered)))
      if (fiber.pollUnsafe() === undefined) {
        Fiber.runIn(fiber, scope)
        response.once("close", () => {
          if (!response.writableEnded) fiber.interruptUnsafe()
        })
      }
      return true
    }
  })
