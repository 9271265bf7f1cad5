/**
 * A batch of JSON-RPC calls over HTTP to one endpoint, with a deadline; cancelled when nobody waits for it any more.
 *
 * Thin on purpose: one request, one answer for each call, nothing retried, nothing cached. SECURITY: what an endpoint says in
 * an error, and where it is, stays here: both can hold keys.
 */
import { Effect, Redacted, Schema } from "effect"

export interface RpcCall {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Why a batch has no answer. */
export type RpcFault = "timeout" | "unreachable" | "refused"

const Answer = Schema.Struct({
  id: Schema.Int,
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.Unknown)
})
const decodeAnswers = Schema.decodeUnknownExit(Schema.Array(Answer))

/** Answers in the order of the calls, or why there are none: a batch is answered as a whole or not at all. */
const resultsOf = (calls: ReadonlyArray<RpcCall>, body: unknown): ReadonlyArray<unknown> | undefined => {
  const decoded = decodeAnswers(body)
  if (decoded._tag === "Failure") return undefined
  const byId = new Map(decoded.value.map((answer) => [answer.id, answer]))
  const results = calls.map((_, index) => byId.get(index + 1))
  return results.every((answer) => answer !== undefined && answer.error === undefined && "result" in answer)
    ? results.map((answer) => answer?.result)
    : undefined
}

/** `deadline` in milliseconds, for the whole of it. */
export const batch = (url: Redacted.Redacted, calls: ReadonlyArray<RpcCall>, deadline: number): Effect.Effect<ReadonlyArray<unknown>, RpcFault> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(Redacted.value(url), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(calls.map(({ method, params }, index) => ({ jsonrpc: "2.0", id: index + 1, method, params }))),
        signal
      })
      return response.ok ? resultsOf(calls, await response.json()) : undefined
    },
    catch: (): RpcFault => "unreachable"
  }).pipe(
    Effect.flatMap((results): Effect.Effect<ReadonlyArray<unknown>, RpcFault> => results === undefined ? Effect.fail("refused") : Effect.succeed(results)),
    Effect.timeoutOrElse({ duration: deadline, orElse: () => Effect.fail<RpcFault>("timeout") })
  )
