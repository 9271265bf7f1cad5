/**
 * Batches of JSON-RPC calls to one endpoint. Each has a deadline, and is cancelled when no caller waits for it any
 * more.
 */
import { Effect, Result } from "effect"
import type { Redacted, Scope } from "effect"
import { Timer, withDeadline } from "./Deadline.ts"
import type { RpcFault } from "./Deadline.ts"
import { makeJsonRpcPool, NoAnswers } from "./JsonRpcPool.ts"
import type { RpcAnswer, RpcCall, RpcStyle } from "./JsonRpcPool.ts"
import { shareRequests } from "./SharedRequests.ts"
import type { Outcome, SharedRequests } from "./SharedRequests.ts"

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

const isRefusal = (cause: unknown): boolean => cause instanceof NoAnswers

export const makeAnsweringRpc = Effect.fnUntraced(
  function*(url: Redacted.Redacted, style?: RpcStyle): Effect.fn.Return<AnsweringRpc, never, Scope.Scope> {
    const { post } = yield* makeJsonRpcPool(url, style)
    return { answers: (calls, deadline) => withDeadline((signal) => post(calls, signal), deadline, isRefusal) }
  }
)

const resultsIn = (outcome: Outcome): Effect.Effect<Results, RpcFault> => {
  if (Result.isSuccess(outcome)) return resultsOf(outcome.success)
  return Effect.fail(isRefusal(outcome.failure) ? "refused" : "unreachable")
}

/** Without a promise and a signal for each batch: there are thousands a second. */
const batchOf = ({ ask }: SharedRequests): JsonRpc["batch"] => (calls, deadline) =>
  Effect.withFiber((fiber) => {
    const timer = fiber.getRef(Timer)
    return Effect.callback((resume) => {
      const leave = ask(calls, (outcome) => {
        cancel()
        resume(resultsIn(outcome))
      })
      const cancel = timer(() => {
        leave()
        resume(Effect.fail("timeout"))
      }, deadline)
      return Effect.sync(() => {
        cancel()
        leave()
      })
    })
  })

/** Batches of one moment share a request (QUORUM-12), unless the family's nodes take one call a request. */
export const makeJsonRpc = Effect.fnUntraced(
  function*(url: Redacted.Redacted, style?: RpcStyle): Effect.fn.Return<JsonRpc, never, Scope.Scope> {
    const { post } = yield* makeJsonRpcPool(url, style)
    if (style?.batches === false) {
      const batch: JsonRpc["batch"] = (calls, deadline) =>
        Effect.flatMap(withDeadline((signal) => post(calls, signal), deadline, isRefusal), resultsOf)
      return { batch }
    }
    return { batch: batchOf(shareRequests(post)) }
  }
)
