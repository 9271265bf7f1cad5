/**
 * Answers GETs ahead of the router, on Node's own request: for the few routes that clients poll, where router and
 * middleware would take more of the processor than the answer. Every other request goes the usual way.
 */
import { Effect, Fiber } from "effect"
import type { Scope } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { leanContext } from "../context/LeanContext.ts"

/** True when it answers the request, or calls `routed` later. False: the router answers, as after `routed`. */
export type Direct = (request: IncomingMessage, response: ServerResponse, routed: () => void) => boolean

/** Asks one, then the other. */
export const eitherDirect = (one: Direct, other: Direct): Direct => (request, response, routed) =>
  one(request, response, routed) || other(request, response, routed)

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined

/** Answers of direct reads have bytes or no body. */
const write = (response: ServerResponse, { body, headers, status }: HttpServerResponse.HttpServerResponse): void => {
  response.writeHead(status, headers)
  if (body._tag === "Uint8Array") response.end(body.text ?? body.body)
  else response.end()
}

/** Writes an answer in a way of its own. False: it was not written, and is written as a whole. */
type Written = (answered: HttpServerResponse.HttpServerResponse) => boolean

/**
 * Runs answers and writes them. They are interrupted when the client leaves and when the scope closes. Their services
 * are those of the layer that made them: as in the router, a request begins without ours.
 */
export const answerer = (): Effect.Effect<
  (
    response: ServerResponse,
    answer: Effect.Effect<HttpServerResponse.HttpServerResponse>,
    written?: Written
  ) => void,
  never,
  Scope.Scope
> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const fork = Effect.runForkWith(leanContext(yield* Effect.context()))
    return (response, answer, written) => {
      const fiber = fork(Effect.map(answer, (answered) => {
        if (response.destroyed || written?.(answered) === true) return
        write(response, answered)
      }))
      if (fiber.pollUnsafe() !== undefined) return
      Fiber.runIn(fiber, scope)
      response.once("close", () => {
        if (!response.writableEnded) fiber.interruptUnsafe()
      })
    }
  })

/** `find`: the answer of a GET without a body, or undefined for the router. */
export const makeDirect = (
  find: (request: IncomingMessage) => Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined
): Effect.Effect<Direct, never, Scope.Scope> =>
  Effect.map(answerer(), (answer) => (request, response) => {
    if (request.method !== "GET" || hasBody(request)) return false
    const found = find(request)
    if (found === undefined) return false
    answer(response, found)
    return true
  })
