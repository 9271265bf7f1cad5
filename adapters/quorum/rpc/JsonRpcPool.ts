/**
 * JSON-RPC over connections to one endpoint that are kept alive. Not fetch: its streams cost more than reading and
 * judging an answer does (docs/performance.md), and it refuses URLs with credentials.
 *
 * Thin on purpose: one request, its answers, nothing retried, nothing cached. SECURITY: what an endpoint says in an
 * error, and where it is, must stay with whoever reads it: both can hold keys.
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
/** Exactly one of `result` and `error` in an answer that means anything. */
export type RpcAnswer = typeof Answer.Type
const decodeAnswers = Schema.decodeUnknownExit(Schema.Array(Answer))

/** The endpoint said something else than answers to the calls; the HTTP status is all that is kept of it. */
export class NoAnswers extends Error {
  readonly status: number
  constructor(status: number) {
    super(`HTTP ${status} without answers to the calls`)
    this.status = status
  }
}

/** In the order of the calls; undefined when one of them has no answer. */
const inOrder = (calls: ReadonlyArray<RpcCall>, body: unknown): ReadonlyArray<RpcAnswer> | undefined => {
  const decoded = decodeAnswers(body)
  if (decoded._tag === "Failure") return undefined
  const byId = new Map(decoded.value.map((answer) => [answer.id, answer]))
  const answers = calls.flatMap((_, index) => byId.get(index + 1) ?? [])
  return answers.length === calls.length ? answers : undefined
}

/** How a family's nodes are spoken to. */
export interface RpcStyle {
  /** Whether they take all calls in one request; else each call is a request of its own, all at once. */
  readonly batches: boolean
  /** The JSON of an answer, for families that write numbers beyond 2^53. */
  readonly parse: (text: string) => unknown
  /** The JSON of what is asked, for families whose clients hand over bigints. */
  readonly write?: (asked: unknown) => string
}

/** All calls in one request, numbers as JavaScript has them. */
const usual: RpcStyle = { batches: true, parse: (text): unknown => JSON.parse(text) }

/** Where to post, with the credentials of the URL where they belong: in a header. */
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
  /** Rejects with `NoAnswers`, or with what the connection or the signal failed with. */
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
