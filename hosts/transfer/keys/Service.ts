/** Calls the running service over HTTP like any operator or app, with the credentials of the environment. */
import { Effect, Schema } from "effect"
import type { GlobalFlag } from "effect/cli"
import { needed, neededKey, serviceUrl } from "../../cli/command/Service.ts"
import { ProgramFailed } from "../../cli/Program.ts"

/** The credential that a call needs: the operator's token, the API key, or none. */
export type Right = "operator" | "key" | "nobody"

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly right: Right
  readonly body?: object
}

const TIMEOUT_MS = 20_000

const headersFor = Effect.fnUntraced(function*(right: Right) {
  switch (right) {
    case "operator":
      return { authorization: `Bearer ${yield* needed("ADMIN_TOKEN", "the admin token that the service runs with")}` }
    case "key":
      return { "x-api-key": yield* neededKey }
    case "nobody":
      return {}
  }
})

const Said = Schema.fromJsonString(Schema.Struct({ message: Schema.String }))

/** The service's own message, or the beginning of any other body. */
const sentenceOf = (text: string): Effect.Effect<string> =>
  Schema.decodeUnknownEffect(Said)(text).pipe(
    Effect.map(({ message }) => message),
    Effect.orElseSucceed(() => text.replaceAll(/[^\x20-\x7e]/gu, " ").slice(0, 200))
  )

const hintOf = (status: number, right: Right): string => {
  if (right !== "operator") return ""
  if (status === 401) return " (ADMIN_TOKEN is not the service's)"
  return status === 404 ? " (a service that runs without ADMIN_TOKEN has no keys to manage)" : ""
}

/**
 * The service's answer as text. Fails with the service's message when it refuses, and with the address when it does not
 * answer.
 */
const ask = Effect.fnUntraced(function*({ body, method, path, right }: Call) {
  const url = yield* serviceUrl
  const headers = yield* headersFor(right)
  const { status, text } = yield* Effect.tryPromise({
    try: async () => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS)
      })
      return { status: response.status, text: await response.text() }
    },
    catch: () =>
      new ProgramFailed({
        message: `no service answers at ${new URL(url).host}: start it, or name it with --url`,
        reason: "no-answer"
      })
  })
  if (status < 300) return text
  const message = `${yield* sentenceOf(text)}${hintOf(status, right)}`
  return yield* new ProgramFailed({ message, reason: status >= 500 || status === 429 ? "no-answer" : "refused" })
})

const anotherService = new ProgramFailed({
  message: "the server there is not a transfer service of this version: check --url or TRANSFER_URL",
  reason: "no-answer"
})

/** Calls the service. An answer of another shape comes from another service. */
export const call = <S extends Schema.Codec<unknown, unknown>>(
  answer: S,
  what: Call
): Effect.Effect<S["Type"], ProgramFailed, GlobalFlag.Setting.Identifier<"url">> =>
  Effect.flatMap(ask(what), (text) =>
    Schema.decodeUnknownEffect(Schema.fromJsonString(answer))(text).pipe(
      Effect.mapError(() => anotherService)
    ))
