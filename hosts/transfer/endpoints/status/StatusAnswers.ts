/**
 * The answers of GET /intents/status, encoded once while nothing in it changes: a request is polled far more often than it
 * changes. Each poll asks the store for the request's version, in one statement, so no answer is stale in any process.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { Statuses } from "../../../../src/services/requests/Statuses.ts"
import { noteTransfer } from "../../../http/RequestNotes.ts"
import { statusRow, unknownStatus } from "../../routes/Rows.ts"
import { IntentStatus } from "./StatusApi.ts"

/** Some kilobytes each. */
const REMEMBERED = 4_096

/** Versions of requests under which strangers deposited a hundred times are longer: those are read each time. */
const LONGEST_VERSION = 8_192

export const encodeStatus = Schema.encodeSync(Schema.fromJsonString(IntentStatus))

const answerOf = (status: IntentStatus) =>
  HttpServerResponse.text(encodeStatus(status), { contentType: "application/json" })

const unknown = answerOf(unknownStatus)

interface Known {
  readonly version: string
  readonly answer: HttpServerResponse.HttpServerResponse
}

export class StatusAnswers extends Context.Service<StatusAnswers, {
  /** The answer for a request, also for an id that does not exist. */
  readonly find: (id: RequestId) => Effect.Effect<HttpServerResponse.HttpServerResponse, StoreUnavailable>
}>()("causeway/transfer/StatusAnswers") {}

export const makeStatusAnswers = (statuses: Statuses["Service"]): StatusAnswers["Service"] => {
  const answers = new Map<RequestId, Known>()

  const remember = (id: RequestId, known: Known): void => {
    answers.delete(id)
    if (known.version.length > LONGEST_VERSION) return
    answers.set(id, known)
    for (const oldest of answers.keys()) {
      if (answers.size <= REMEMBERED) return
      answers.delete(oldest)
    }
  }

  const read = Effect.fnUntraced(function*(id: RequestId, version: string) {
    const found = yield* statuses.find(id)
    if (found === undefined) return unknown
    const answer = answerOf(statusRow(found))
    // The statements of an answer see the store at different times. What changed meanwhile is not kept.
    if ((yield* statuses.version(id)) === version) remember(id, { version, answer })
    return answer
  })

  return {
    find: (id) =>
      Effect.flatMap(statuses.version(id), (version) => {
        if (version === undefined) return Effect.succeed(unknown)
        const known = answers.get(id)
        return known?.version === version ? Effect.succeed(known.answer) : read(id, version)
      })
  }
}

export const layer = Layer.effect(StatusAnswers, Effect.map(Statuses, makeStatusAnswers))

/** The answer of GET /intents/status. */
export const statusAnswer = ({ find }: StatusAnswers["Service"], id: RequestId) =>
  Effect.andThen(noteTransfer(id), find(id))
