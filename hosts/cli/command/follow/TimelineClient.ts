/** `GET /requests/{id}` for programs: the timeline, or that there is no answer now, or that there will never be one. */
import { Effect, Schema } from "effect"
import { RequestTimeline } from "../../../../src/domain/timeline/RequestTimeline.ts"
import { visible } from "../../../../src/domain/timeline/DisplayText.ts"

export type Answer =
  | { readonly _tag: "Told"; readonly story: RequestTimeline }
  /** The service starts, ends, or is overloaded: a retry helps. */
  | { readonly _tag: "Away"; readonly why: string; readonly waitMs: number }
  | { readonly _tag: "Refused"; readonly why: string }

const decodeTimeline = Schema.decodeUnknownOption(Schema.fromJsonString(RequestTimeline))
const decodeMessage = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ message: Schema.String })))

/** Deadline of a single answer, milliseconds. */
const PATIENCE = 15_000
const USUAL_WAIT = 1_000
const LONGEST_WAIT = 60_000

const waitOf = (header: string | null): number => {
  const seconds = /^\d{1,5}$/u.test(header ?? "") ? Number(header) : 1
  return Math.min(LONGEST_WAIT, Math.max(USUAL_WAIT, seconds * 1_000))
}

const away = (why: string, waitMs: number = USUAL_WAIT): Answer => ({ _tag: "Away", why, waitMs })

const read = (status: number, text: string, retryAfter: string | null): Answer => {
  if (status === 429 || status >= 500) return away(`it answers ${status}`, waitOf(retryAfter))
  if (status === 200) {
    const timeline = decodeTimeline(text)
    return timeline._tag === "Some"
      ? { _tag: "Told", story: timeline.value }
      : { _tag: "Refused", why: "the answer is no story of a request: is it this service?" }
  }
  const said = decodeMessage(text)
  return { _tag: "Refused", why: said._tag === "Some" ? visible(said.value.message) : `it answers ${status}` }
}

/** Never fails: a fault is a kind of answer. */
export const ask = (url: string, id: string): Effect.Effect<Answer> =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(`${url}/requests/${id}`, {
      headers: { accept: "application/json" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)])
    })
    return read(response.status, await response.text(), response.headers.get("retry-after"))
  }).pipe(Effect.orElseSucceed(() => away("it does not answer")))
