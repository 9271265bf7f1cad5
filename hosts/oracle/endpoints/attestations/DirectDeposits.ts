/**
 * POST /attestations/depository-deposits/v1 ahead of the router: the oracle's most frequent request. The middleware that
 * concerns it is here, in the same order, and made of the same functions, so that the answers are the same to the byte;
 * a test compares them. A body that the API's definition refuses goes to the router, as do claims that peers sign too,
 * and callers without a known key.
 */
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { makeDirectPosts } from "../../../http/ahead/DirectPosts.ts"
import { withHelpLink } from "../../../http/HelpLink.ts"
import { withJsonErrors } from "../../../http/JsonErrors.ts"
import { observedBy } from "../../../http/RequestObservation.ts"
import { noteCaller } from "../../../http/RequestNotes.ts"
import type { Shutdown } from "../../../http/Shutdown.ts"
import { makeFindKey } from "../../config/ApiKeys.ts"
import type { ApiKey } from "../../config/ApiKeys.ts"
import { BadRequest, Defect, Unavailable } from "../Errors.ts"
import { makeDecodeClaim } from "./DecodeClaim.ts"
import { makeDepositsAnswer } from "./DepositsAnswer.ts"

const PATH = "/attestations/depository-deposits/v1"

const encodeBadRequest = Schema.encodeSync(BadRequest)
const encodeUnavailable = Schema.encodeSync(Unavailable)
const encodeDefect = Schema.encodeSync(Defect)

const refusal = (error: BadRequest | Unavailable | Defect): HttpServerResponse.HttpServerResponse => {
  switch (error._tag) {
    case "OracleBadRequest":
      return HttpServerResponse.jsonUnsafe(encodeBadRequest(error), { status: 400 })
    case "OracleUnavailable":
      return HttpServerResponse.jsonUnsafe(encodeUnavailable(error), { status: 503 })
    case "OracleDefect":
      return HttpServerResponse.jsonUnsafe(encodeDefect(error), { status: 500 })
  }
}

const one = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === "string" ? header : undefined

export interface DirectSettings {
  readonly keys: ReadonlyArray<ApiKey> | undefined
  readonly ending: Shutdown["Service"]
  /** As of the router's access lines. */
  readonly accessRatio: number
}

export const makeDirectDeposits = ({ accessRatio, ending, keys }: DirectSettings) =>
  Effect.gen(function*() {
    const depositsAnswer = yield* makeDepositsAnswer
    const { all } = yield* Chains
    const decode = makeDecodeClaim(all.map(({ slug }) => slug))
    const observed = observedBy(accessRatio)
    const withHelp = withHelpLink("")
    const findKey = keys === undefined ? undefined : makeFindKey(keys)
    const finished = (answer: HttpServerResponse.HttpServerResponse) =>
      // Read when the answer exists, as `withShutdown` does.
      ending.hasBegun() ? HttpServerResponse.setHeader(answer, "connection", "close") : answer

    const answerOf = (body: string) => {
      const claim = decode(body)
      return claim === undefined || claim.requestPeerSignatures === true
        ? undefined
        : depositsAnswer(claim, (attestation) => attestation).pipe(
          Effect.catch((error) => Effect.succeed(refusal(error)))
        )
    }

    return yield* makeDirectPosts(({ headers, url }) => {
      if (url !== PATH) return undefined
      const label = findKey === undefined ? "" : findKey(one(headers["x-api-key"]) ?? "")?.label
      if (label === undefined) return undefined
      const observation = observed({ method: "POST", route: PATH, inboundId: one(headers["x-request-id"]) })
      return (body) => {
        const answer = body === undefined ? Effect.interrupt : answerOf(body)
        if (answer === undefined) return undefined
        return observation(Effect.map(
          Effect.andThen(noteCaller(label), withHelp(withJsonErrors(answer, "Something went wrong"))),
          finished
        ))
      }
    })
  })
