/**
 * Batches of JSON-RPC calls over HTTP to one endpoint, each with a deadline; taken back when nobody waits for it any more.
 *
 * Thin on purpose: one request, one answer for each call, nothing retried, nothing cached. SECURITY: what an endpoint says in
 * an error, and where it is, stays here: both can hold keys.
 */
import { Effect, Redacted, Schema } from "effect"
import type { Scope } from "effect"
import { Pool } from "undici"

/** No answer to any of our calls comes near: whoever sends more is cut off. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

export interface RpcCall {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Why a batch has no answer. */
export type RpcFault = "timeout" | "unreachable" | "refused"

type Results = ReadonlyArray<unknown>

const Answer = Schema.Struct({
  id: Schema.Int,
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.Unknown)
})
const decodeAnswers = Schema.decodeUnknownExit(Schema.Array(Answer))

/** Answers in the order of the calls, or why there are none: a batch is answered as a whole or not at all. */
const resultsOf = (calls: ReadonlyArray<RpcCall>, body: unknown): Results | undefined => {
  const decoded = decodeAnswers(body)
  if (decoded._tag === "Failure") return undefined
  const byId = new Map(decoded.value.map((answer) => [answer.id, answer]))
  const results = calls.map((_, index) => byId.get(index + 1))
  return results.every((answer) => answer !== undefined && answer.error === undefined && "result" in answer)
    ? results.map((answer) => answer?.result)
    : undefined
}

/** Where to post, with the credentials of the URL where they belong: in a header. */
const targetOf = (url: Redacted.Redacted) => {
  const { origin, password, pathname, search, username } = new URL(Redacted.value(url))
  const basic = username === "" && password === "" ? undefined : Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")
  return {
    origin,
    path: `${pathname}${search}`,
    method: "POST",
    headers: { "content-type": "application/json", ...(basic === undefined ? {} : { authorization: `Basic ${basic}` }) }
  } as const
}

/** One endpoint over connections that are kept alive. */
export interface JsonRpc {
  /** `deadline` in milliseconds, for the whole of it. */
  readonly batch: (calls: ReadonlyArray<RpcCall>, deadline: number) => Effect.Effect<Results, RpcFault>
}

/** Not fetch: its streams cost more than reading and judging an answer does (docs/performance.md). */
export const makeJsonRpc = Effect.fnUntraced(function*(url: Redacted.Redacted): Effect.fn.Return<JsonRpc, never, Scope.Scope> {
  const target = targetOf(url)
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => new Pool(target.origin, { maxResponseSize: MAX_ANSWER_BYTES })),
    (pool) => Effect.promise(() => pool.destroy())
  )

  const post = async (calls: ReadonlyArray<RpcCall>, signal: AbortSignal): Promise<Results | undefined> => {
    const body = JSON.stringify(calls.map(({ method, params }, index) => ({ jsonrpc: "2.0", id: index + 1, method, params })))
    const answer = await client.request({ ...target, body, signal })
    if (answer.statusCode === 200) return resultsOf(calls, await answer.body.json())
    await answer.body.dump()
    return undefined
  }

  return {
    // One timer and one signal, where a timeout of effect's would be two more fibers: all reading is made of this.
    batch: (calls, deadline) =>
      Effect.callback((resume) => {
        const controller = new AbortController()
        let fault: RpcFault = "unreachable"
        const timer = setTimeout(() => {
          fault = "timeout"
          controller.abort()
        }, deadline)
        post(calls, controller.signal).then(
          (results) => resume(results === undefined ? Effect.fail("refused") : Effect.succeed(results)),
          () => resume(Effect.fail(fault))
        ).finally(() => clearTimeout(timer))
        return Effect.sync(() => {
          clearTimeout(timer)
          controller.abort()
        })
      })
  }
})
