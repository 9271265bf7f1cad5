/**
 * GET /intents/status and GET /chains ahead of the router: clients poll them. What is not exactly a canonical URL of
 * these goes to the router, which knows other spellings and refuses.
 */
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { makeDirect } from "../../http/ahead/DirectReads.ts"
import { makeChainsAnswer } from "./chains/ChainsAnswer.ts"
import { makeFrame, oneHeader, unavailable } from "./DirectFrame.ts"
import type { DirectSettings } from "./DirectFrame.ts"
import { statusAnswer, StatusAnswers } from "./status/StatusAnswers.ts"

interface DirectRead {
  /** The route's, as declared. */
  readonly path: string
  readonly answer: Effect.Effect<HttpServerResponse.HttpServerResponse, StoreUnavailable>
}

const statusUrl = /^(\/intents\/status(?:\/v3)?)\?requestId=(0x[0-9a-f]{64})$/u

export const makeDirectReads = (settings: DirectSettings) =>
  Effect.gen(function*() {
    const statuses = yield* StatusAnswers
    const chains = yield* makeChainsAnswer
    const frame = makeFrame(settings)

    const readOf = ({ headers, url = "" }: IncomingMessage): DirectRead | undefined => {
      if (url === "/chains") {
        const asked = {
          "accept-encoding": oneHeader(headers["accept-encoding"]),
          "if-none-match": headers["if-none-match"]
        }
        return { path: url, answer: chains(asked) }
      }
      const [, path, id] = statusUrl.exec(url) ?? []
      return path === undefined || id === undefined
        ? undefined
        : { path, answer: statusAnswer(statuses, RequestId.make(id)) }
    }

    return yield* makeDirect((request) => {
      const read = readOf(request)
      if (read === undefined) return undefined
      return frame({ request, method: "GET", path: read.path }).answer(() =>
        Effect.catchTag(read.answer, "StoreUnavailable", unavailable)
      )
    })
  })
