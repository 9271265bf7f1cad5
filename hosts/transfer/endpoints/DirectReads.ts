/**
 * GET /intents/status and GET /chains ahead of the router: clients poll them. The middleware that concerns a GET is
 * here, in the same order, and made of the same functions, so that the answers are the same to the byte; a test compares
 * them. What is not exactly a canonical URL of these goes to the router, which knows other spellings and refuses.
 */
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { makeDirect } from "../../http/DirectReads.ts"
import { withJsonErrors } from "../../http/JsonErrors.ts"
import { observedBy } from "../../http/RequestObservation.ts"
import type { Shutdown } from "../../http/Shutdown.ts"
import { withHelpLink } from "../../http/HelpLink.ts"
import type { CallerOf } from "../middleware/Caller.ts"
import { readHeaders } from "../middleware/Cors.ts"
import type { Limited } from "../middleware/RateLimit.ts"
import { makeChainsAnswer } from "./chains/ChainsAnswer.ts"
import { statusAnswer, StatusAnswers } from "./status/StatusAnswers.ts"

interface DirectRead {
  /** The route's, as declared. */
  readonly path: string
  readonly answer: Effect.Effect<HttpServerResponse.HttpServerResponse, StoreUnavailable>
}

const statusUrl = /^(\/intents\/status(?:\/v3)?)\?requestId=(0x[0-9a-f]{64})$/u

/** The body of `Unavailable`. */
const unavailable = ({ message }: StoreUnavailable) =>
  Effect.succeed(HttpServerResponse.jsonUnsafe({ message }, { status: 503 }))

const one = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === "string" ? header : undefined

const asked = ({ headers, socket }: IncomingMessage) => ({
  remoteAddress: Option.fromUndefinedOr(socket.remoteAddress),
  headers: {
    "x-api-key": one(headers["x-api-key"]),
    "x-forwarded-for": one(headers["x-forwarded-for"]),
    "accept-encoding": one(headers["accept-encoding"]),
    "if-none-match": headers["if-none-match"]
  }
})

export interface DirectSettings {
  /** The service's public URL. */
  readonly baseUrl: string
  readonly callerOf: CallerOf
  readonly limited: Limited
  readonly ending: Shutdown["Service"]
  /** As of the router's access lines. */
  readonly accessRatio: number
}

export const makeDirectReads = ({ accessRatio, baseUrl, callerOf, ending, limited }: DirectSettings) =>
  Effect.gen(function*() {
    const statuses = yield* StatusAnswers
    const chains = yield* makeChainsAnswer
    const observed = observedBy(accessRatio)
    const withDocs = withHelpLink(baseUrl)

    const readOf = (url: string, headers: ReturnType<typeof asked>["headers"]): DirectRead | undefined => {
      if (url === "/chains") return { path: url, answer: chains(headers) }
      const [, path, id] = statusUrl.exec(url) ?? []
      return path === undefined || id === undefined
        ? undefined
        : { path, answer: statusAnswer(statuses, RequestId.make(id)) }
    }

    const finished = (answer: HttpServerResponse.HttpServerResponse) =>
      HttpServerResponse.setHeaders(
        answer,
        // Read when the answer exists, as `withShutdown` does.
        ending.hasBegun() ? { connection: "close", ...readHeaders } : readHeaders
      )

    return yield* makeDirect((request) => {
      const from = asked(request)
      const read = readOf(request.url ?? "", from.headers)
      if (read === undefined) return undefined
      const { answer, path } = read
      const limitedAnswer = Effect.flatMap(
        callerOf(from),
        (caller) => limited(path, caller, Effect.catchTag(answer, "StoreUnavailable", unavailable))
      )
      return Effect.map(
        observed(withDocs(withJsonErrors(limitedAnswer)), {
          method: "GET",
          route: path,
          inboundId: one(request.headers["x-request-id"])
        }),
        finished
      )
    })
  })
