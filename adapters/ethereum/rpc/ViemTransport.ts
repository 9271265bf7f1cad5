/**
 * Viem's calls over `JsonRpcPool`: all calls to an endpoint in one turn of the event loop, from any callers, share one
 * request. Fails with viem's own errors, without the endpoint's address in them.
 */
import { custom, HttpRequestError, RpcRequestError, TimeoutError } from "viem"
import { errors } from "undici"
import type { Transport } from "viem"
import { NoAnswers } from "../../quorum/rpc/JsonRpcPool.ts"
import { TooLarge } from "../../quorum/rpc/ReadAnswer.ts"
import type { JsonRpcPool, RpcAnswer, RpcCall } from "../../quorum/rpc/JsonRpcPool.ts"
import { isRateLimited, TOO_MANY_REQUESTS } from "../../quorum/rpc/RateLimited.ts"

/** Many nodes refuse more calls in a request. */
const MOST_CALLS = 50

interface Waiting {
  readonly call: RpcCall
  readonly resolve: (answer: RpcAnswer) => void
  readonly reject: (error: Error) => void
}

/** Without the endpoint's address, and without what it said besides its answers. */
const failureOf = (cause: unknown, timedOut: boolean, { method }: RpcCall): Error => {
  const body = { method }
  if (timedOut) return new TimeoutError({ body, url: "" })
  // Like the error of a node that bounds its own answers.
  if (cause instanceof TooLarge || cause instanceof errors.ResponseExceededMaxSizeError) {
    return new HttpRequestError({ body, url: "", status: 413, details: cause.message })
  }
  return cause instanceof NoAnswers
    ? new HttpRequestError({ body, url: "", status: cause.status, details: cause.message })
    : new HttpRequestError({ body, url: "", details: "no connection" })
}

const isError = (
  error: unknown
): error is { readonly code: number; readonly message: string; readonly data?: unknown } =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "number" &&
  "message" in error && typeof error.message === "string"

/** `timeoutMs`: for one HTTP request. */
export const viemTransport = ({ post }: JsonRpcPool, timeoutMs: number): Transport => {
  let waiting: Array<Waiting> = []

  const send = (group: ReadonlyArray<Waiting>): void => {
    // Not AbortSignal.timeout: every one of them fires, long after its answer, and makes an error with a stack.
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), timeoutMs)
    post(group.map(({ call }) => call), deadline.signal).then(
      (answers) => answers.forEach((answer, index) => group[index]?.resolve(answer)),
      (cause: unknown) => group.forEach(({ call, reject }) => reject(failureOf(cause, deadline.signal.aborted, call)))
    ).finally(() => clearTimeout(timer))
  }

  const flush = (): void => {
    const all = waiting
    waiting = []
    for (let from = 0; from < all.length; from += MOST_CALLS) send(all.slice(from, from + MOST_CALLS))
  }

  const ask = (call: RpcCall): Promise<RpcAnswer> =>
    new Promise((resolve, reject) => {
      if (waiting.push({ call, resolve, reject }) === 1) setImmediate(flush)
    })

  const request = async (
    { method, params }: { readonly method: string; readonly params?: unknown }
  ): Promise<unknown> => {
    const call = { method, params: Array.isArray(params) ? params : [] }
    const { error, result } = await ask(call)
    if (error === undefined) return result
    // Like a whole request that was too many: another endpoint may answer, and a smaller question would be refused, too.
    if (isRateLimited(error)) {
      throw new HttpRequestError({ body: { method }, url: "", status: TOO_MANY_REQUESTS, details: "asked too much" })
    }
    throw new RpcRequestError({
      body: call,
      error: isError(error) ? error : { code: -32603, message: "an error without code" },
      url: ""
    })
  }
  return custom({ request }, { key: "pool", name: "JSON-RPC over a pool of connections", retryCount: 0 })
}
