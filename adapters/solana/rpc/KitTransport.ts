/**
 * Kit's calls over `JsonRpcPool`: kept-alive connections, answers of bounded size, credentials in a header. Each call
 * is its own request (`solanaStyle`). Kit reads the node's answers and errors.
 */
import type { RpcResponse, RpcTransport } from "@solana/kit"
import type { JsonRpcPool } from "../../quorum/rpc/JsonRpcPool.ts"

/** The node did not answer the call. SECURITY: its address, and what it said instead, are not kept. */
export class NotAnswered extends Error {
  readonly kind: "timeout" | "unreachable"
  constructor(kind: "timeout" | "unreachable") {
    super(kind)
    this.kind = kind
  }
}

const isCall = (
  payload: unknown
): payload is { readonly id: unknown; readonly method: string; readonly params: ReadonlyArray<unknown> } =>
  typeof payload === "object" && payload !== null && "id" in payload && "method" in payload &&
  typeof payload.method === "string" &&
  "params" in payload && Array.isArray(payload.params)

/** Kit itself checks and decodes the result. A transport only has to return JSON-RPC's envelope. */
const isResponse = <A>(answer: unknown): answer is RpcResponse<A> =>
  typeof answer === "object" && answer !== null && "id" in answer

/** `timeoutMs`: for one HTTP request. */
export const kitTransport =
  ({ post }: JsonRpcPool, timeoutMs: number): RpcTransport =>
  async <A>({ payload, signal: given }: Parameters<RpcTransport>[0]): Promise<RpcResponse<A>> => {
    if (!isCall(payload)) throw new Error("kit makes calls by an array of parameters")
    const deadline = AbortSignal.timeout(timeoutMs)
    const signal = given === undefined ? deadline : AbortSignal.any([given, deadline])
    const { id, method, params } = payload
    const answer: unknown = await post([{ method, params }], signal).then(
      ([answered]) => ({ ...answered, jsonrpc: "2.0", id }),
      () => {
        throw new NotAnswered(signal.aborted ? "timeout" : "unreachable")
      }
    )
    if (!isResponse<A>(answer)) throw new NotAnswered("unreachable")
    return answer
  }
