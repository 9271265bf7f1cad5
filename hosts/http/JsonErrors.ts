/**
 * Gives the framework's own refusals (too large, wrong type, an empty 500) a JSON body like all others. Also logs
 * failures that no handler expected: the framework's request logger is off, so a defect would be silent.
 */
import { Cause, Effect } from "effect"
import { HttpServerError, HttpServerResponse } from "effect/http"

export const NOTHING_HERE = "not found; GET /documentation lists all routes"

const sentences: ReadonlyMap<number, string> = new Map([
  [400, "the request is not valid"],
  [404, NOTHING_HERE],
  [405, "this route does not support this method; GET /documentation lists those that it supports"],
  [413, "the body is larger than 1 MiB"],
  [415, "send the body as content-type application/json"],
  [503, "not available now; try again"]
])

/** A body of ours: JSON, or an error page for people. */
const isOurs = ({ headers }: HttpServerResponse.HttpServerResponse): boolean =>
  /json|^text\/html/u.test(headers["content-type"] ?? "")

const dressed = (
  response: HttpServerResponse.HttpServerResponse,
  defect: string
): HttpServerResponse.HttpServerResponse => {
  const sentence = response.status === 500 ? defect : sentences.get(response.status)
  const message = response.status >= 400 && !isOurs(response) ? sentence : undefined
  return message === undefined ? response : HttpServerResponse.jsonUnsafe({ message }, { status: response.status })
}

/**
 * Every outcome of `app` as a response, except an interruption: then the client has left. `defect`: the sentence of a
 * 500.
 */
export const withJsonErrors = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  defect = "something went wrong here"
) =>
  app.pipe(
    Effect.catchCauseIf((cause) => !Cause.hasInterruptsOnly(cause), (cause) =>
      Effect.flatMap(HttpServerError.causeResponse(cause), ([response]) =>
        response.status >= 500
          ? Effect.as(Effect.logError("a request failed with a defect", cause), response)
          : Effect.succeed(response))),
    Effect.map((response) =>
      dressed(response, defect)
    )
  )
