/** POST /quote and POST /price by the router: it decodes the body, `QuoteAnswers` answers. */
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiMiddleware } from "effect/http-api"
import { refusalOfIssue } from "../../../../src/domain/quote/request/DecodeRequest.ts"
import { findUnserved, requestParameters } from "../../../../src/domain/quote/request/QuoteRequest.ts"
import type { QuoteRequest } from "../../../../src/domain/quote/request/QuoteRequest.ts"
import { Quoting } from "../../../../src/services/quoting/Quoting.ts"
import { noteTransfer } from "../../../http/RequestNotes.ts"
import { Caller } from "../../middleware/Caller.ts"
import { TransferApi } from "../TransferApi.ts"
import { QuoteInputErrors, servedParameters } from "./QuoteApi.ts"
import { badRequest, QuoteAnswers } from "./QuoteAnswers.ts"

const isServed: ReadonlySet<string> = new Set(servedParameters)

export const inputErrors = Layer.unwrap(Effect.gen(function*() {
  const quoting = yield* Quoting
  return HttpApiMiddleware.layerSchemaErrorTransform(
    QuoteInputErrors,
    (error) =>
      Effect.flatMap(
        Effect.tap(quoting.newRequestId, noteTransfer),
        (requestId) => Effect.fail(badRequest(requestId, refusalOfIssue(error.cause.issue)))
      )
  )
}))

/**
 * The first known parameter of the body that this host does not serve. Nothing is read where it serves all of them. The
 * body was decoded already, so its text is JSON.
 */
const unservedIn = requestParameters.every((name) => isServed.has(name))
  ? Effect.undefined
  : Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) => Effect.map(Effect.orDie(request.json), (body) => findUnserved(servedParameters, body))
  )

export const layer = HttpApiBuilder.group(
  TransferApi,
  "quote",
  Effect.fn(function*(handlers) {
    const answers = yield* QuoteAnswers
    const handle = (path: keyof QuoteAnswers["Service"]) => ({ payload }: { readonly payload: QuoteRequest }) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const unserved = Effect.provideService(unservedIn, HttpServerRequest.HttpServerRequest, request)
        return Effect.flatMap(Caller, (caller) => answers[path]({ payload, caller, unserved }))
      })
    return handlers.handleAll({
      quote: handle("/quote"),
      quoteV2: handle("/quote/v2"),
      price: handle("/price")
    })
  })
).pipe(Layer.provide(inputErrors))
