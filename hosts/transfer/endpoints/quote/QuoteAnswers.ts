/**
 * The answers of POST /quote and POST /price to a decoded request, whoever has decoded it: the router, or what is ahead
 * of it. Passes the request to `Quoting`, and converts failures to the contract's shapes.
 */
import { Cause, Context, Effect, Layer, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import { refuseUnserved } from "../../../../src/domain/quote/request/DecodeRequest.ts"
import type { QuoteRequest, RequestParameter } from "../../../../src/domain/quote/request/QuoteRequest.ts"
import type { Price } from "../../../../src/domain/quote/wire/Price.ts"
import { quoteText } from "../../../../src/domain/quote/wire/QuoteText.ts"
import type { QuoteErrorCode, QuoteRefused } from "../../../../src/domain/quote/QuoteError.ts"
import type { ApiKey } from "../../../../src/domain/api-key/ApiKey.ts"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { Pausing } from "../../../../src/services/operations/Pausing.ts"
import { unlessKnown } from "../../../../ports/Known.ts"
import { spanned } from "../../../../ports/Spanned.ts"
import { Quoting } from "../../../../src/services/quoting/Quoting.ts"
import type { QuoteFailure } from "../../../../src/services/quoting/Quoting.ts"
import { pathOfErrorPage } from "../ErrorPages.ts"
import { noteTransfer } from "../../../http/RequestNotes.ts"
import { keyOf, unauthorized } from "../../middleware/ApiKey.ts"
import type { KnownCaller } from "../../middleware/Caller.ts"
import { QuoteBadRequest, QuoteDefect, QuoteUnavailable } from "./QuoteErrors.ts"
import type { QuoteUnauthorized } from "./QuoteErrors.ts"

export const badRequest = (requestId: string, { code, failed, field = "", message }: QuoteRefused) =>
  new QuoteBadRequest({
    message,
    errorCode: code,
    errorData: field,
    requestId,
    ...(failed === undefined ? {} : { approxSimulatedBlock: Number(failed.block), failedCallData: failed.call }),
    statusCode: 400,
    retryable: false,
    docs: pathOfErrorPage(code)
  })

const unavailable = (requestId: string, errorCode: QuoteErrorCode, message: string) =>
  new QuoteUnavailable({
    message,
    errorCode,
    requestId,
    statusCode: 503,
    retryable: true,
    docs: pathOfErrorPage(errorCode)
  })

const onTheWire = (
  requestId: string,
  failure: QuoteFailure
): QuoteBadRequest | QuoteUnauthorized | QuoteUnavailable => {
  switch (failure._tag) {
    case "QuoteRefused":
      return failure.code === "UNAUTHORIZED" ? unauthorized(failure.message) : badRequest(requestId, failure)
    case "PriceUnavailable":
      return unavailable(requestId, "PRICE_FETCH_FAILED", failure.message)
    case "ChainUnavailable":
    case "SignerUnavailable":
    case "StoreUnavailable":
    case "AddressesExhausted":
      return unavailable(requestId, "SERVICE_UNAVAILABLE", failure.message)
  }
}

const defectOf = (requestId: string) =>
  new QuoteDefect({
    message: "internal error; it is logged under this request id",
    errorCode: "UNKNOWN_ERROR",
    requestId,
    statusCode: 500,
    retryable: true,
    docs: pathOfErrorPage("UNKNOWN_ERROR")
  })

/** What is not answered. */
export type RefusedQuote = QuoteBadRequest | QuoteUnauthorized | QuoteUnavailable | QuoteDefect

export interface DecodedRequest {
  readonly payload: QuoteRequest
  readonly caller: KnownCaller
  /** The first known parameter of the body that this host does not serve. */
  readonly unserved: Effect.Effect<RequestParameter | undefined>
}

type Answered = (request: DecodedRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse, RefusedQuote>

export class QuoteAnswers extends Context.Service<QuoteAnswers, {
  /** By path. */
  readonly ["/quote"]: Answered
  readonly ["/quote/v2"]: Answered
  readonly ["/price"]: Answered
}>()("causeway/transfer/QuoteAnswers") {}

const answerOf = (text: string) => HttpServerResponse.text(text, { contentType: "application/json" })

/** Every value of a price is JSON already, as of a quote. */
const priceText = (price: Price): string => JSON.stringify(price)

export const layer = Layer.effect(
  QuoteAnswers,
  Effect.gen(function*() {
    const quoting = yield* Quoting
    const pausing = yield* Pausing

    const handle = (
      answer: (
        requestId: RequestId,
        payload: QuoteRequest,
        key: ApiKey | undefined
      ) => Effect.Effect<string, QuoteFailure>
    ): Answered => {
      const answerAs = (requestId: RequestId, { caller, payload, unserved }: DecodedRequest) => {
        const failed = (failure: QuoteFailure) => Effect.fail(onTheWire(requestId, failure))
        const answered = (key: ApiKey | undefined) =>
          // Not at once: a defect of the answer is told as one.
          Effect.flatMap(
            pausing.refusePaused(payload),
            () => Effect.mapEager(answer(requestId, payload, key), answerOf)
          )
        const answeredOrRefused = (key: ApiKey | undefined) =>
          Effect.matchCauseEffect(answered(key), {
            onSuccess: (answer) => Effect.succeed(answer),
            onFailure: (cause): Effect.Effect<never, RefusedQuote> => {
              const failure = Cause.findError(cause)
              if (Result.isSuccess(failure)) return failed(failure.success)
              const defect = Cause.findDefect(cause)
              return Result.isFailure(defect) ? Effect.failCause(failure.failure) : Effect.andThen(
                Effect.logError(`quote ${requestId} failed with a defect`, defect.success),
                Effect.fail(defectOf(requestId))
              )
            }
          })
        return Effect.flatMapEager(
          unlessKnown(keyOf(caller), Effect.catchTag("StoreUnavailable", failed)),
          (key) =>
            Effect.flatMapEager(
              unserved,
              (name) =>
                name === undefined ? answeredOrRefused(key) : Effect.fail(onTheWire(requestId, refuseUnserved(name)))
            )
        )
      }
      return (request) =>
        Effect.flatMap(
          quoting.newRequestId,
          (requestId) => Effect.andThen(noteTransfer(requestId), Effect.suspend(() => answerAs(requestId, request)))
        ).pipe(
          spanned("http.quote")
        )
    }

    const quoteBy = (statusPath: string) =>
      handle((requestId, payload, key) => Effect.map(quoting.quote(requestId, payload, key, statusPath), quoteText))
    return QuoteAnswers.of({
      "/quote": quoteBy("/intents/status"),
      "/quote/v2": quoteBy("/intents/status/v3"),
      "/price": handle((_, payload, key) => Effect.map(quoting.price(payload, key), priceText))
    })
  })
)
