/**
 * JSON-RPC over kept-alive connections to one endpoint. Not fetch: its streams cost more than reading and judging an
 * answer (docs/performance.md), and it refuses URLs with credentials.
 *
 * Thin on purpose: one request and its answers, no retries, no cache. SECURITY: an endpoint's error texts and its
 * address must stay with the caller: both can hold keys.
 */
import { Effect, Redacted, Schema } from "effect"
import { Pool } from "undici"
import { MAX_ANSWER_BYTES, readAnswer } from "./ReadAnswer.ts"

export interface RpcCall {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const Answer = Schema.Struct({
  id: Schema.Int,
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.Unknown)
})
/** A valid answer has exactly one of `result` and `error`. */
export type RpcAnswer = typeof Answer.Type
const decodeAnswers = Schema.decodeUnknownExit(Schema.Array(Answer))

/** The endpoint's response does not answer the calls. Only its HTTP status is kept. */
export class NoAnswers extends Error {
  readonly status: number
  constructor(status: number) {
    super(`HTTP ${status} without answers to the calls`)
    this.status = status
  }
}

/** In the order of the calls. Undefined when one of them has no answer. */
const inOrder = (calls: ReadonlyArray<RpcCall>, body: unknown): ReadonlyArray<RpcAnswer> | undefined => {
  const decoded = decodeAnswers(body)
  if (decoded._tag === "Failure") return undefined
  const byId = new Map(decoded.value.map((answer) => [answer.id, answer]))
  const answers = calls.flatMap((_, index) => byId.get(index + 1) ?? [])
  return answers.length === calls.length ? answers : undefined
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
    const send = async (
      asked: unknown,
      signal: AbortSignal
    ): Promise<{ readonly status: number; readonly said: unknown }> => {
      const body = write(asked)
      const answer = await client.request({ ...target, body, signal })
      if (answer.statusCode !== 200) {
        await answer.body.dump()
        throw new NoAnswers(answer.statusCode)
      }
      return { status: answer.statusCode, said: await readAnswer(answer, signal, MAX_ANSWER_BYTES, parse) }
    }
    const post: JsonRpcPool["post"] = async (calls, signal) => {
      const asked = calls.map(({ method, params }, index) => ({ jsonrpc: "2.0", id: index + 1, method, params }))
      const [answered] = batches
        ? [await send(asked, signal)]
        : [
          await Promise.all(asked.map((each) => send(each, signal))).then((all) => ({
            status: 200,
            said: all.map(({ said }) => said)
          }))
        ]
      const answers = inOrder(calls, answered.said)
      if (answers === undefined) throw new NoAnswers(answered.status)
      return answers
    }
    return { post } satisfies JsonRpcPool
  })
