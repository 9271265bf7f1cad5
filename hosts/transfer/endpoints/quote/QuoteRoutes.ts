/** POST /quote and POST /price by the router: it decodes the body, `QuoteAnswers` answers. */
import { Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiMiddleware } from "effect/http-api"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { refusalOfIssue, refuseBody } from "../../../../src/domain/quote/request/DecodeRequest.ts"
import { findUnserved, requestParameters } from "../../../../src/domain/quote/request/QuoteRequest.ts"
import type { QuoteRequest } from "../../../../src/domain/quote/request/QuoteRequest.ts"
import { Quoting } from "../../../../src/services/quoting/Quoting.ts"
import { noteTransfer } from "../../../http/RequestNotes.ts"
import { Caller } from "../../middleware/Caller.ts"
import { TransferApi } from "../TransferApi.ts"
import { QuoteInputErrors, servedParameters } from "./QuoteApi.ts"
import { badRequest, QuoteAnswers } from "./QuoteAnswers.ts"

const isServed: ReadonlySet<string> = new Set(servedParameters)

const bodyOf = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => request.json)

export const inputErrors = Layer.unwrap(Effect.gen(function*() {
  const quoting = yield* Quoting
  const { all } = yield* Chains
  return HttpApiMiddleware.layerSchemaErrorTransform(
    QuoteInputErrors,
    Effect.fnUntraced(function*(error) {
      const requestId = yield* Effect.tap(quoting.newRequestId, noteTransfer)
      const { issue } = error.cause
      // What is no JSON has no fields. The text that was read once is kept.
      const body = error.kind === "Payload" ? yield* Effect.option(bodyOf) : Option.none()
      return yield* badRequest(
        requestId,
        Option.isSome(body) ? refuseBody(issue, body.value, all) : refusalOfIssue(issue)
      )
    })
  )
}))

/**
 * The first known parameter of the body that this host does not serve. Nothing is read where it serves all of them. The
 * body was decoded already, so its text is JSON.
 */
const unservedIn = requestParameters.every((name) => isServed.has(name))
  ? Effect.undefined
  : Effect.map(Effect.orDie(bodyOf), (body) => findUnserved(servedParameters, body))

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
