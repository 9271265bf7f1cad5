/** Kit's client with scripted answers for each method, in this process. For guards that no real chain would trigger. */
import { createSolanaRpcFromTransport } from "@solana/kit"
import type { RpcResponse } from "@solana/kit"
import { base64 } from "@scure/base"
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import * as SolanaRpc from "../../rpc/SolanaRpc.ts"
import { NotAnswered } from "../../rpc/KitTransport.ts"

/**
 * The result of each method, from its parameters. A function that throws `{ code, message, data }` answers with that
 * error.
 */
export type Answers = Readonly<Record<string, (params: ReadonlyArray<unknown>) => unknown>>

/** What an account must hold at the price that clusters began with. */
export const rentAt = (bytes: number, lamportsAByte = 6_960): bigint => BigInt((128 + bytes) * lamportsAByte)

const usual: Answers = { getMinimumBalanceForRentExemption: ([bytes]) => rentAt(Number(bytes)) }

/** A node's refusal. */
export class Refusal extends Error {
  readonly code: number
  readonly data: unknown
  constructor(code: number, data?: unknown) {
    super("refused")
    this.code = code
    this.data = data
  }
}

export const fakeClient = (answers: Answers): SolanaRpc.SolanaClient =>
  createSolanaRpcFromTransport(async <A>({ payload }: { readonly payload: unknown }): Promise<RpcResponse<A>> => {
    const { method, params } = payload as { readonly method: string; readonly params: ReadonlyArray<unknown> }
    const answer = answers[method] ?? usual[method]
    if (answer === undefined) throw new NotAnswered("unreachable")
    try {
      return { jsonrpc: "2.0", id: "1", result: answer(params) } as RpcResponse<A>
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return {
        jsonrpc: "2.0",
        id: "1",
        error: { code: error.code, message: error.message, data: error.data }
      } as RpcResponse<A>
    }
  })

/** The adapter's way to call nodes, over scripted answers. */
export const fakeRpc = (answers: Answers) => {
  const client = fakeClient(answers)
  const call: SolanaRpc.SolanaRpc["Service"]["call"] = (chain, operation, run) =>
    Effect.tryPromise({
      try: () => run(client, { done: () => {} }),
      catch: (cause) =>
        new ChainUnavailable({
          chain: chain.slug,
          operation,
          kind: cause instanceof SolanaRpc.NodeIsBehind ? "behind" : "refused"
        })
    })
  return Layer.succeed(
    SolanaRpc.SolanaRpc,
    SolanaRpc.SolanaRpc.of({
      call,
      agreed: () => Effect.die(new Error("nothing is read under a quorum here")),
      isAlone: () => true,
      several: (chain, operation, run) =>
        Effect.map(call(chain, operation, run), (answer) => [{ host: "fake.example", answer }]),
      witnessed: (chain, { call: run, operation }) => call(chain, operation, run)
    })
  )
}

export const inContext = (value: unknown, slot = 100) => ({ context: { apiVersion: "3.0.0", slot }, value })

/** An account as nodes show it. */
export const shown = (
  owner: string,
  data: Uint8Array = new Uint8Array(),
  { executable = false, lamports = 1_000_000_000 }: { readonly lamports?: number; readonly executable?: boolean } = {}
) => ({ lamports, owner, executable, data: [base64.encode(data), "base64"], rentEpoch: 0, space: data.length })
