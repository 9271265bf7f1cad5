/**
 * Calls the running service over HTTP like any operator or app, with the credentials of the environment.
 *
 * SECURITY: tokens and keys come from the environment, never from the command line, which other users of a machine can
 * read and shells record. They are in no message.
 */
import { Effect, Schema } from "effect"
import { readText } from "../../configuration/Variables.ts"
import { KeysFailed } from "./KeysFailed.ts"

/** The credential that a call needs: the operator's token, the API key, or none. */
export type Right = "operator" | "key" | "nobody"

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly right: Right
  readonly body?: object
}

const DEFAULT_URL = "http://127.0.0.1:3001"
const TIMEOUT_MS = 20_000

/** A variable that a command requires. */
export const needed = Effect.fnUntraced(function*(name: string, what: string) {
  const text = yield* readText(name)
  return text ?? (yield* new KeysFailed({ message: `${name} is not set: ${what}`, reason: "not-configured" }))
})

const headersFor = Effect.fnUntraced(function*(right: Right) {
  switch (right) {
    case "operator":
      return { authorization: `Bearer ${yield* needed("ADMIN_TOKEN", "the admin token that the service runs with")}` }
    case "key":
      return { "x-api-key": yield* needed("API_KEY", "the text of the API key") }
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
  const url = (yield* readText("TRANSFER_URL")) ?? DEFAULT_URL
  if (!URL.canParse(url)) return yield* new KeysFailed({ message: "TRANSFER_URL is no URL", reason: "not-configured" })
  const headers = yield* headersFor(right)
  const { status, text } = yield* Effect.tryPromise({
    try: async () => {
      const response = await fetch(`${url.replace(/\/+$/u, "")}${path}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS)
      })
      return { status: response.status, text: await response.text() }
    },
    catch: () =>
      new KeysFailed({
        message: `no service answers at ${new URL(url).host}: start it, or set TRANSFER_URL`,
        reason: "no-answer"
      })
  })
  if (status < 300) return text
  const message = `${yield* sentenceOf(text)}${hintOf(status, right)}`
  return yield* new KeysFailed({ message, reason: status >= 500 || status === 429 ? "no-answer" : "refused" })
})

export const anotherService = new KeysFailed({
  message: "the server there is not a transfer service of this version: check TRANSFER_URL",
  reason: "no-answer"
})

/** Calls the service. An answer of another shape comes from another service. */
export const call = <S extends Schema.Codec<unknown, unknown>>(
  answer: S,
  what: Call
): Effect.Effect<S["Type"], KeysFailed> =>
  Effect.flatMap(ask(what), (text) =>
    Schema.decodeUnknownEffect(Schema.fromJsonString(answer))(text).pipe(
      Effect.mapError(() => anotherService)
    ))
