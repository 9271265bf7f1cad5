/**
 * POST /quote and POST /price ahead of the router. A body that decodes is answered here; every other one, and every
 * request with something that only the router knows (another spelling, an Idempotency-Key, a query), goes to the router.
 */
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { requestParameters } from "../../../../src/domain/quote/request/QuoteRequest.ts"
import type { QuoteRequest } from "../../../../src/domain/quote/request/QuoteRequest.ts"
import { makeDirectPosts } from "../../../http/ahead/DirectPosts.ts"
import { makeFrame } from "../DirectFrame.ts"
import type { DirectSettings } from "../DirectFrame.ts"
import { decodeBody } from "./DecodeBody.ts"
import { servedParameters } from "./QuoteApi.ts"
import { QuoteAnswers } from "./QuoteAnswers.ts"
import type { RefusedQuote } from "./QuoteAnswers.ts"
import { QuoteBadRequest, QuoteDefect, QuoteUnauthorized, QuoteUnavailable } from "./QuoteErrors.ts"

const encodeRefusal = Schema.encodeSync(
  Schema.Union([QuoteBadRequest, QuoteUnauthorized, QuoteUnavailable, QuoteDefect])
)

const refusal = (refused: RefusedQuote) =>
  Effect.succeed(HttpServerResponse.jsonUnsafe(encodeRefusal(refused), { status: refused.statusCode }))

/** Undefined for a body that the router refuses. */
const requestIn = (text: string): QuoteRequest | undefined => {
  try {
    return decodeBody(JSON.parse(text))
  } catch {
    return undefined
  }
}

const isPath = (url: string): url is keyof QuoteAnswers["Service"] =>
  url === "/price" || url === "/quote" || url === "/quote/v2"

/** A parameter that is not served is refused by the router. */
const servesAll = requestParameters.length === servedParameters.length

export const makeDirectQuotes = (settings: DirectSettings) =>
  Effect.gen(function*() {
    const answers = yield* QuoteAnswers
    const frame = makeFrame(settings)
    return yield* makeDirectPosts((request) => {
      const { headers, url: path = "" } = request
      if (!servesAll || !isPath(path) || headers["idempotency-key"] !== undefined) return undefined
      const { answer, left } = frame({ request, method: "POST", path })
      return (body) => {
        if (body === undefined) return left
        const payload = requestIn(body)
        return payload &&
          answer((caller) => answers[path]({ payload, caller, unserved: Effect.undefined }).pipe(Effect.catch(refusal)))
      }
    })
  })
