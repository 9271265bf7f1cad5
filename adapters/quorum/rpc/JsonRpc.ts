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
import { isRateLimited, TOO_MANY_REQUESTS } from "./RateLimited.ts"
import { shareRequests } from "./SharedRequests.ts"
import type { Outcome, SharedRequests } from "./SharedRequests.ts"

type Results = ReadonlyArray<unknown>

/** `over-quota`: the endpoint says that it is asked too much, not that it refuses the question. */
export type JsonRpcFault = RpcFault | "over-quota"

/** A batch is answered completely or not at all. */
const resultsOf = (answers: ReadonlyArray<RpcAnswer>): Effect.Effect<Results, JsonRpcFault> => {
  if (answers.every((answer) => answer.error === undefined && "result" in answer)) {
    return Effect.succeed(answers.map(({ result }) => result))
  }
  return Effect.fail(answers.some(({ error }) => isRateLimited(error)) ? "over-quota" : "refused")
}

/** One endpoint over kept-alive connections. */
export interface JsonRpc {
  /** `deadline` in milliseconds, for the whole batch. */
  readonly batch: (calls: ReadonlyArray<RpcCall>, deadline: number) => Effect.Effect<Results, JsonRpcFault>
}

/** Like `JsonRpc`, but a refusal is an answer too: for families whose nodes report a missing item as an error. */
export interface AnsweringRpc {
  readonly answers: (
    calls: ReadonlyArray<RpcCall>,
    deadline: number
  ) => Effect.Effect<ReadonlyArray<RpcAnswer>, JsonRpcFault>
}

const faultOf = (cause: unknown): JsonRpcFault => {
  if (!(cause instanceof NoAnswers)) return "unreachable"
  return cause.status === TOO_MANY_REQUESTS ? "over-quota" : "refused"
}

export const makeAnsweringRpc = Effect.fnUntraced(
  function*(url: Redacted.Redacted, style?: RpcStyle): Effect.fn.Return<AnsweringRpc, never, Scope.Scope> {
    const { post } = yield* makeJsonRpcPool(url, style)
    return { answers: (calls, deadline) => withDeadline((signal) => post(calls, signal), deadline, faultOf) }
  }
)

const resultsIn = (outcome: Outcome): Effect.Effect<Results, JsonRpcFault> => {
  if (Result.isSuccess(outcome)) return resultsOf(outcome.success)
  return Effect.fail(faultOf(outcome.failure))
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
        Effect.flatMap(withDeadline((signal) => post(calls, signal), deadline, faultOf), resultsOf)
      return { batch }
    }
    return { batch: batchOf(shareRequests(post)) }
  }
)
