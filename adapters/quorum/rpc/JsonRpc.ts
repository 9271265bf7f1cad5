/**
 * Batches of JSON-RPC calls to one endpoint. Each has a deadline, and is cancelled when no caller waits for it any
 * more.
 */
import { Effect } from "effect"
import type { Redacted, Scope } from "effect"
import { withDeadline } from "./Deadline.ts"
import type { RpcFault } from "./Deadline.ts"
import { makeJsonRpcPool, NoAnswers } from "./JsonRpcPool.ts"
import type { RpcAnswer, RpcCall, RpcStyle } from "./JsonRpcPool.ts"

type Results = ReadonlyArray<unknown>

/** A batch is answered completely or not at all. */
const resultsOf = (answers: ReadonlyArray<RpcAnswer>): Effect.Effect<Results, RpcFault> =>
  answers.every((answer) => answer.error === undefined && "result" in answer)
    ? Effect.succeed(answers.map(({ result }) => result))
    : Effect.fail("refused")

/** One endpoint over kept-alive connections. */
export interface JsonRpc {
  /** `deadline` in milliseconds, for the whole batch. */
  readonly batch: (calls: ReadonlyArray<RpcCall>, deadline: number) => Effect.Effect<Results, RpcFault>
}

/** Like `JsonRpc`, but a refusal is an answer too: for families whose nodes report a missing item as an error. */
export interface AnsweringRpc {
  readonly answers: (
    calls: ReadonlyArray<RpcCall>,
    deadline: number
  ) => Effect.Effect<ReadonlyArray<RpcAnswer>, RpcFault>
}

export const makeAnsweringRpc = Effect.fnUntraced(
  function*(url: Redacted.Redacted, style?: RpcStyle): Effect.fn.Return<AnsweringRpc, never, Scope.Scope> {
    const { post } = yield* makeJsonRpcPool(url, style)
    return {
      answers: (calls, deadline) =>
        withDeadline((signal) => post(calls, signal), deadline, (cause) => cause instanceof NoAnswers)
    }
  }
)

export const makeJsonRpc = (url: Redacted.Redacted, style?: RpcStyle): Effect.Effect<JsonRpc, never, Scope.Scope> =>
  Effect.map(makeAnsweringRpc(url, style), ({ answers }) => ({
    batch: (calls, deadline) => Effect.flatMap(answers(calls, deadline), resultsOf)
  }))
