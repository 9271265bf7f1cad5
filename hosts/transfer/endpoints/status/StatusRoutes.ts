/** GET /intents/status and its stream. */
import { Effect, Layer, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiMiddleware } from "effect/http-api"
import { describeFaults } from "../../../../src/domain/decoding/DescribeFaults.ts"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { Statuses } from "../../../../src/services/requests/Statuses.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "./StatusApi.ts"
import { TransferApi } from "../TransferApi.ts"
import { Client } from "../../middleware/Client.ts"
import { noteTransfer } from "../../../http/RequestNotes.ts"
import { statusRow, statusV2Row, unknownStatus } from "../../routes/Rows.ts"
import { statusAnswer, StatusAnswers } from "./StatusAnswers.ts"
import { lastSeenIn } from "./StatusEvents.ts"
import { statusStream } from "./StatusStream.ts"
import { STREAM_HEADERS, STREAM_TYPE, StatusStreams, tooManyStreams } from "./StatusStreams.ts"

export const inputErrors = HttpApiMiddleware.layerSchemaErrorTransform(
  InputErrors,
  (error) => Effect.fail(new BadRequest({ message: describeFaults(error.cause.issue, "request").message }))
)

const encoder = new TextEncoder()

export const layer = HttpApiBuilder.group(
  TransferApi,
  "intents",
  Effect.fn(function*(handlers) {
    const statuses = yield* Statuses
    const answers = yield* StatusAnswers
    const { addressOf } = yield* Client
    const { feed, slots } = yield* StatusStreams

    interface StatusRequest {
      readonly query: { readonly requestId: RequestId }
    }

    const status = ({ query }: StatusRequest) =>
      Effect.mapError(statusAnswer(answers, query.requestId), ({ message }) => new Unavailable({ message }))

    const statusV2 = Effect.fn("http.status")(function*({ query }: StatusRequest) {
      yield* noteTransfer(query.requestId)
      const known = yield* Effect.mapError(
        statuses.find(query.requestId),
        ({ message }) => new Unavailable({ message })
      )
      return statusV2Row(known === undefined ? unknownStatus : statusRow(known))
    })

    interface StreamRequest {
      readonly query: { readonly requestId: RequestId }
      readonly headers: { readonly "last-event-id"?: string }
      readonly request: HttpServerRequest.HttpServerRequest
    }

    const stream = Effect.fn("http.statusStream")(function*({ headers, query, request }: StreamRequest) {
      yield* noteTransfer(query.requestId)
      const client = addressOf(request)
      // Read once before the stream begins: a store that is down becomes a 503 and not a broken stream.
      yield* Effect.mapError(statuses.changesAfter(query.requestId, 0), ({ message }) => new Unavailable({ message }))
      if (slots.isFull(client)) return tooManyStreams
      const texts = statusStream(statuses, feed, query.requestId, lastSeenIn(headers["last-event-id"]))
      const body = Stream.unwrap(
        Effect.as(slots.hold(client), Stream.map(texts, (text) => encoder.encode(text)))
      )
      return HttpServerResponse.stream(body, { contentType: STREAM_TYPE, headers: STREAM_HEADERS })
    })

    return handlers.handleAll({ status, statusV3: status, statusV2, statusStream: stream })
  })
).pipe(Layer.provide(inputErrors))
