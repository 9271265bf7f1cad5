/**
 * GET /requests/{id}: a page for browsers, the same as JSON for all other clients. Needs no key, and an x-api-key
 * changes nothing: it shows the same facts as status and history by id.
 */
import { Effect, Layer, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { buildTimeline } from "../../../../src/domain/timeline/BuildTimeline.ts"
import { Statuses } from "../../../../src/services/requests/Statuses.ts"
import { noteTransfer } from "../../../http/RequestNotes.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { NoSuchRequest } from "./TimelineApi.ts"
import { TransferApi } from "../TransferApi.ts"
import { answer } from "../../page/Document.ts"
import { prefersPage } from "../../../http/PrefersPage.ts"
import { sorryPage, timelinePage } from "../../page/TimelinePage.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

const decodeId = Schema.decodeUnknownEffect(RequestId)

const sorry = {
  BadRequest: () =>
    answer(
      sorryPage(
        400,
        "This is no request",
        "The id of a request is 0x and 64 hex digits. Is the end of the link missing?"
      )
    ),
  NoSuchRequest: () =>
    answer(
      sorryPage(
        404,
        "No request has this id",
        "Is it another service’s? Quotes that were never paid are forgotten after some days."
      )
    ),
  Unavailable: () =>
    answer(
      sorryPage(
        503,
        "Not available now",
        "The service cannot look it up at the moment. Load this page again in a little while."
      )
    )
}

export const layer = HttpApiBuilder.group(
  TransferApi,
  "story",
  Effect.fn(function*(handlers) {
    const statuses = yield* Statuses
    const { all: chains } = yield* Chains

    const tell = Effect.fnUntraced(function*(text: string) {
      const id = yield* decodeId(text.toLowerCase()).pipe(
        Effect.mapError(() => new BadRequest({ message: "the id of a request is 0x and 64 hex digits" }))
      )
      yield* noteTransfer(id)
      const known = yield* Effect.mapError(statuses.findHistory(id), ({ message }) => new Unavailable({ message }))
      return known === undefined
        ? yield* new NoSuchRequest({ message: "no request has this id" })
        : buildTimeline({ ...known, chains })
    })

    const timeline = Effect.fn("http.story")(
      function*(
        { params, request }: {
          readonly params: { readonly id: string }
          readonly request: HttpServerRequest.HttpServerRequest
        }
      ) {
        const told = tell(params.id)
        return prefersPage(request.headers["accept"])
          ? yield* told.pipe(
            Effect.map((each) => answer(timelinePage(each))),
            Effect.catchTags({
              BadRequest: () => Effect.succeed(sorry.BadRequest()),
              NoSuchRequest: () => Effect.succeed(sorry.NoSuchRequest()),
              Unavailable: () => Effect.succeed(sorry.Unavailable())
            })
          )
          : yield* told
      }
    )

    return handlers.handleAll({ story: timeline })
  })
).pipe(Layer.provide(inputErrors))
