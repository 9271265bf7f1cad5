/**
 * Answers POSTs with small bodies ahead of the router, on Node's own request: for the few routes that are asked most.
 * Whatever is not answered here goes to the router with its body, which is read only once. So there is one way to refuse
 * a body: the router's.
 */
import { Effect, Fiber } from "effect"
import type { Scope } from "effect"
import type { HttpServerResponse } from "effect/http"
import { IncomingMessage } from "node:http"
import type { Direct } from "./DirectReads.ts"
import { writeAnswer } from "./DirectReads.ts"

/**
 * Bytes of the largest body that is read here: a stranger may send as many on each of its connections before its limits
 * are looked at. Larger ones are the router's, which looks at them first.
 */
const MOST_BYTES = 16_384

const isSmall = ({ headers }: IncomingMessage): boolean => {
  const length = headers["content-length"]
  return headers["transfer-encoding"] === undefined && length !== undefined && /^\d{1,5}$/u.test(length) &&
    Number(length) <= MOST_BYTES
}

/** The same request, whose body can be read again. */
const replayed = (request: IncomingMessage, body: Buffer): IncomingMessage => {
  const again = new IncomingMessage(request.socket)
  again.method = request.method ?? ""
  again.url = request.url ?? ""
  again.httpVersion = request.httpVersion
  again.httpVersionMajor = request.httpVersionMajor
  again.httpVersionMinor = request.httpVersionMinor
  again.rawHeaders = request.rawHeaders
  again.headers = request.headers
  again.complete = true
  if (body.length > 0) again.push(body)
  again.push(null)
  return again
}

/** What is done with a request, once its route is known. */
export interface DirectPost<R> {
  /** The answer to a body. Undefined: the router answers. */
  readonly answer: (text: string) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> | undefined
  /** The client left before its body was complete. */
  readonly left: Effect.Effect<unknown, never, R>
}

/** `find`: undefined for the router. Answers are interrupted when the client leaves and when the scope closes. */
export const makeDirectPosts = <R>(
  find: (request: IncomingMessage) => DirectPost<R> | undefined
): Effect.Effect<Direct, never, R | Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    const fork = Effect.runForkWith(yield* Effect.context<R>())
    return (request, response, routed) => {
      if (request.method !== "POST" || !isSmall(request)) return false
      const post = find(request)
      if (post === undefined) return false
      const chunks: Array<Buffer> = []
      let isWhole = false
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.once("close", () => {
        if (!isWhole) fork(post.left)
      })
      request.once("end", () => {
        isWhole = true
        const [first = Buffer.alloc(0), ...others] = chunks
        const body = others.length === 0 ? first : Buffer.concat(chunks)
        const answer = post.answer(body.toString())
        if (answer === undefined) return routed(replayed(request, body))
        const fiber = fork(Effect.map(answer, (answered) => writeAnswer(response, answered)))
        if (fiber.pollUnsafe() !== undefined) return
        Fiber.runIn(fiber, scope)
        response.once("close", () => {
          if (!response.writableEnded) fiber.interruptUnsafe()
        })
      })
      return true
    }
  })
