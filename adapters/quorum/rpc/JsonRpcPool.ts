/**
 * JSON-RPC over kept-alive connections to one endpoint. Not fetch: its streams cost more than reading and judging an
 * answer (docs/performance.md), and it refuses URLs with credentials. Its answers are checked by hand, for the same
 * reason; a test compares that with a schema.
 *
 * Thin on purpose: one request and its answers, no retries, no cache. SECURITY: an endpoint's error texts and its
 * address must stay with the caller: both can hold keys.
 */
import { Effect, Redacted } from "effect"
import { Pool } from "undici"
import { MAX_ANSWER_BYTES, readAnswer } from "./ReadAnswer.ts"

export interface RpcCall {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** A valid answer has exactly one of `result` and `error`. */
export interface RpcAnswer {
  readonly id: number
  readonly result?: unknown
  readonly error?: unknown
}

const isAnswer = (value: unknown): value is RpcAnswer =>
  typeof value === "object" && value !== null && "id" in value && Number.isSafeInteger(value.id)

const OK = 200

/** The endpoint's response does not answer the calls. Only its HTTP status is kept. */
export class NoAnswers extends Error {
  readonly status: number
  constructor(status: number) {
    super(`HTTP ${status} without answers to the calls`)
    this.status = status
  }
}

/** The answers by their ids, which are 1 to `count`. Undefined when one is missing, or something else is among them. */
export const answersIn = (count: number, body: unknown): ReadonlyArray<RpcAnswer> | undefined => {
  if (!Array.isArray(body)) return undefined
  const said: ReadonlyArray<unknown> = body
  const answers: Array<RpcAnswer | undefined> = Array.from({ length: count })
  for (const each of said) {
    if (!isAnswer(each)) return undefined
    if (each.id >= 1 && each.id <= count) answers[each.id - 1] = each
  }
  const all = answers.filter((each) => each !== undefined)
  return all.length === count ? all : undefined
}

/** How a family's nodes are called. */
export interface RpcStyle {
  /** Whether nodes take all calls in one request. Otherwise each call is its own request, all at once. */
  readonly batches: boolean
  /** Parses an answer's JSON, for families that write numbers beyond 2^53. */
  readonly parse: (text: string) => unknown
  /** Writes a request's JSON, for families whose clients pass bigints. */
  readonly write?: (asked: unknown) => string
}

/** All calls in one request, with JavaScript's numbers. */
const usual: RpcStyle = { batches: true, parse: (text): unknown => JSON.parse(text) }

/** The URL to post to. Its credentials move into a header. */
const targetOf = (url: Redacted.Redacted) => {
  const { origin, password, pathname, search, username } = new URL(Redacted.value(url))
  const basic = username === "" && password === ""
    ? undefined
    : Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")
  return {
    origin,
    path: `${pathname}${search}`,
    method: "POST",
    headers: { "content-type": "application/json", ...(basic === undefined ? {} : { authorization: `Basic ${basic}` }) }
  } as const
}

export interface JsonRpcPool {
  /** Rejects with `NoAnswers`, or with the failure of the connection or the signal. */
  readonly post: (calls: ReadonlyArray<RpcCall>, signal: AbortSignal) => Promise<ReadonlyArray<RpcAnswer>>
}

/** The scope closes the connections. */
export const makeJsonRpcPool = (url: Redacted.Redacted, { batches, parse, write = JSON.stringify }: RpcStyle = usual) =>
  Effect.gen(function*() {
    const target = targetOf(url)
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => new Pool(target.origin, { maxResponseSize: MAX_ANSWER_BYTES })),
      (pool) => Effect.promise(() => pool.destroy())
    )
    const send = (asked: unknown, signal: AbortSignal): Promise<unknown> =>
      readAnswer(client, { ...target, body: write(asked) }, {
        signal,
        maxBytes: MAX_ANSWER_BYTES,
        parse: ({ status, text }) => {
          if (status !== OK) throw new NoAnswers(status)
          return parse(text)
        }
      })
    const post: JsonRpcPool["post"] = async (calls, signal) => {
      const asked = calls.map(({ method, params }, index) => ({ jsonrpc: "2.0", id: index + 1, method, params }))
      const said = await (batches ? send(asked, signal) : Promise.all(asked.map((each) => send(each, signal))))
      const answers = answersIn(calls.length, said)
      if (answers === undefined) throw new NoAnswers(OK)
      return answers
    }
    return { post } satisfies JsonRpcPool
  })
