/** POST /quote and POST /price: passes a decoded request to `Quoting`, and converts its failures to the contract's shapes. */
import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiMiddleware } from "effect/http-api"
import { refusalOfIssue, refuseUnserved } from "../../../../src/domain/quote/request/DecodeRequest.ts"
import { findUnserved, requestParameters } from "../../../../src/domain/quote/request/QuoteRequest.ts"
import type { QuoteRequest } from "../../../../src/domain/quote/request/QuoteRequest.ts"
import { quoteText } from "../../../../src/domain/quote/wire/QuoteText.ts"
import type { QuoteErrorCode, QuoteRefused } from "../../../../src/domain/quote/QuoteError.ts"
import type { ApiKey } from "../../../../src/domain/api-key/ApiKey.ts"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { Pausing } from "../../../../src/services/operations/Pausing.ts"
import { spanned } from "../../../../ports/Spanned.ts"
import { Quoting } from "../../../../src/services/quoting/Quoting.ts"
import type { QuoteFailure } from "../../../../src/services/quoting/Quoting.ts"
import { TransferApi } from "../TransferApi.ts"
import { QuoteInputErrors, servedParameters } from "./QuoteApi.ts"
import { pathOfErrorPage } from "../ErrorPages.ts"
import { noteTransfer } from "../../../http/RequestNotes.ts"
import { callersKey, unauthorized } from "../../middleware/ApiKey.ts"
import { QuoteBadRequest, QuoteDefect, QuoteUnavailable } from "./QuoteErrors.ts"
import type { QuoteUnauthorized } from "./QuoteErrors.ts"

const isServed: ReadonlySet<string> = new Set(servedParameters)

const badRequest = (requestId: string, { code, failed, field = "", message }: QuoteRefused) =>
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
    const quoting = yield* Quoting
    const pausing = yield* Pausing

    const handle = <Answer>(
      answer: (
        requestId: RequestId,
        payload: QuoteRequest,
        key: ApiKey | undefined
      ) => Effect.Effect<Answer, QuoteFailure>
    ) =>
      Effect.fnUntraced(function*({ payload }: { readonly payload: QuoteRequest }) {
        const requestId = yield* quoting.newRequestId
        yield* noteTransfer(requestId)
        const key = yield* Effect.catchTag(
          callersKey,
          "StoreUnavailable",
          (failure) => Effect.fail(onTheWire(requestId, failure))
        )
        const unserved = yield* unservedIn
        if (unserved !== undefined) return yield* onTheWire(requestId, refuseUnserved(unserved))
        return yield* Effect.andThen(pausing.refusePaused(payload), answer(requestId, payload, key))
          .pipe(
            Effect.mapError((failure) => onTheWire(requestId, failure)),
            Effect.catchDefect((defect) =>
              Effect.logError(`quote ${requestId} failed with a defect`, defect).pipe(
                Effect.andThen(Effect.fail(
                  new QuoteDefect({
                    message: "internal error; it is logged under this request id",
                    errorCode: "UNKNOWN_ERROR",
                    requestId,
                    statusCode: 500,
                    retryable: true,
                    docs: pathOfErrorPage("UNKNOWN_ERROR")
                  })
                ))
              )
            )
          )
      }, spanned("http.quote"))

    const quoteBy = (statusPath: string) =>
      handle((requestId, payload, key) =>
        Effect.map(
          quoting.quote(requestId, payload, key, statusPath),
          // The stored text: the schema's encoder would make the same again.
          (quote) => HttpServerResponse.text(quoteText(quote), { contentType: "application/json" })
        )
      )

    return handlers.handleAll({
      quote: quoteBy("/intents/status"),
      quoteV2: quoteBy("/intents/status/v3"),
      price: handle((_, payload, key) => quoting.price(payload, key))
    })
  })
).pipe(Layer.provide(inputErrors))
