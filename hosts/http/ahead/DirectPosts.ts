/**
 * Answers POSTs ahead of the router, on Node's own request: for a route where router and middleware would take more of
 * the processor than the answer. Only small JSON bodies whose length is stated; everything else goes to the router, a
 * body that turns out to be unusual included, which the router then reads as if nobody had read it before.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import { answerer } from "./DirectReads.ts"
import type { Direct } from "./DirectReads.ts"

/** Longer bodies go to the router. */
const MOST_BYTES = 4_096

const isJson = /^application\/json(?:; ?charset=utf-8)?$/iu
const isLength = /^[1-9]\d{0,3}$/u

/** The length of a small JSON body. Undefined for every other request. */
const lengthOf = ({ headers }: IncomingMessage): number | undefined => {
  const stated = headers["content-length"] ?? ""
  const isPlain = headers["transfer-encoding"] === undefined && headers["content-encoding"] === undefined &&
    headers["expect"] === undefined && isJson.test(headers["content-type"] ?? "")
  return isPlain && isLength.test(stated) && Number(stated) <= MOST_BYTES ? Number(stated) : undefined
}

/** Calls `taken` once: with the whole body, or with undefined when the client leaves before. */
const takeBody = (request: IncomingMessage, length: number, taken: (body: Buffer | undefined) => void): void => {
  const end = (body: Buffer | undefined) => {
    request.off("readable", read)
    request.off("close", left)
    taken(body)
  }
  const left = () => end(undefined)
  const read = () => {
    const body: unknown = request.read(length)
    if (body instanceof Buffer) end(body)
  }
  request.on("readable", read)
  request.once("close", left)
}

/**
 * The answer to a body, or undefined for the router. The body is undefined when the client has left before it was
 * complete: then the answer only counts that, and is interrupted.
 */
export type AnswerToBody = (
  body: string | undefined
) => Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined

/** `find` is asked when the head of a POST has arrived. Undefined for the router. */
export const makeDirectPosts = (
  find: (request: IncomingMessage) => AnswerToBody | undefined
): Effect.Effect<Direct, never, Scope.Scope> =>
  Effect.map(answerer(), (answer) => (request, response, routed) => {
    const length = request.method === "POST" ? lengthOf(request) : undefined
    const answerTo = length === undefined ? undefined : find(request)
    if (length === undefined || answerTo === undefined) return false
    takeBody(request, length, (body) => {
      const found = answerTo(body?.toString())
      if (found === undefined) {
        if (body !== undefined) request.unshift(body)
        return routed()
      }
      // Its end is still to come.
      request.resume()
      answer(response, found)
    })
    return true
  })
