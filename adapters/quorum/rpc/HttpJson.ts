/**
 * JSON over HTTP to one endpoint that is not a JSON-RPC node, over kept-alive connections. Each call has a deadline,
 * and is cancelled when no caller waits for it any more. No retries, no redirects.
 *
 * SECURITY: an endpoint's error texts and its address stay with the caller: both can hold keys.
 */
import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import { Pool } from "undici"
import { withDeadline } from "./Deadline.ts"
import type { RpcFault } from "./Deadline.ts"
import { exactJsonOrNothing } from "./ExactJson.ts"
import { readAnswer } from "./ReadAnswer.ts"

/** No answer to any of these calls comes near this. Longer answers are cut off. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** One request to an endpoint that speaks JSON over HTTP. */
export interface HttpCall {
  readonly method: "GET" | "POST"
  /** Appended to the endpoint's own path, with its query. */
  readonly path: string
  readonly body?: unknown
  /** Sent as a web form does, in place of `body`. */
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** The endpoint's answer, whatever its status. */
export interface HttpAnswer {
  readonly status: number
  /** Undefined when the body was not JSON. */
  readonly said: unknown
}

/** One endpoint that answers JSON over HTTP. Deadlines are in milliseconds; answers are bounded in size. */
export interface HttpJson {
  /** `deadline` in milliseconds. */
  readonly call: (call: HttpCall, deadline: number) => Effect.Effect<HttpAnswer, RpcFault>
}

const contentOf = ({ body, form }: HttpCall) => {
  if (form !== undefined) {
    return {
      content: { body: new URLSearchParams(form).toString() },
      type: { "content-type": "application/x-www-form-urlencoded" }
    }
  }
  return body === undefined
    ? { content: {}, type: {} }
    : { content: { body: JSON.stringify(body) }, type: { "content-type": "application/json" } }
}

/** The scope closes the connections. */
export const makeHttpJson = Effect.fnUntraced(
  function*(url: Redacted.Redacted): Effect.fn.Return<HttpJson, never, Scope.Scope> {
    const { origin, password, pathname, username } = new URL(Redacted.value(url))
    const base = pathname.replace(/\/+$/, "")
    const basic = username === "" && password === ""
      ? {}
      : {
        authorization: `Basic ${
          Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")
        }`
      }
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new Pool(origin, { maxResponseSize: MAX_ANSWER_BYTES })),
      (opened) => Effect.promise(() => opened.destroy())
    )
    const send = (call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> => {
      const { headers, method, path } = call
      const { content, type } = contentOf(call)
      const request = { method, path: `${base}${path}` || "/", headers: { ...basic, ...type, ...headers }, ...content }
      return readAnswer(pool, request, {
        signal,
        maxBytes: MAX_ANSWER_BYTES,
        parse: ({ status, text }) => ({ status, said: exactJsonOrNothing(text) })
      })
    }
    return { call: (call, deadline) => withDeadline((signal) => send(call, signal), deadline) }
  }
)
