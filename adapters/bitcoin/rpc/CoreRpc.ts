/**
 * Bitcoin Core's JSON-RPC: it refuses in order to say that it knows no such transaction, and in the same way when it
 * cannot say. SECURITY: only the words of a node whose index is whole mean that there is none.
 */
import { Effect, Schema } from "effect"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { makeAnsweringRpc } from "../../quorum/rpc/JsonRpc.ts"
import type { AnsweringRpc } from "../../quorum/rpc/JsonRpc.ts"
import type { RpcAnswer, RpcCall } from "../../quorum/rpc/JsonRpcPool.ts"
import { Refusal } from "../decode/NodeAnswers.ts"

export type CoreRpc = AnsweringRpc

export const openCore = (url: Parameters<typeof makeAnsweringRpc>[0]) => makeAnsweringRpc(url)

const NOT_FOUND = -5
/** Without an index, and while one is built, Core says something else under the same code. */
const noSuchTransaction = /^No such mempool or blockchain transaction/

const decodeRefusal = Schema.decodeUnknownExit(Refusal)

/** A result; a refusal of the call is a fault. Older nodes write a null where the other of the two stands. */
export const resultOf = <A>(schema: Schema.ConstraintDecoder<A>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (answer: RpcAnswer | undefined): Effect.Effect<A, ReadFault> =>
    answer === undefined || (answer.error !== undefined && answer.error !== null)
      ? Effect.fail("refused")
      : Effect.mapError(decode(answer.result), (): ReadFault => "undecodable")
}

/** The same of what may not be there. */
export const resultOrNone = <A>(schema: Schema.ConstraintDecoder<A>) => {
  const result = resultOf(schema)
  return (answer: RpcAnswer | undefined): Effect.Effect<A | undefined, ReadFault> => {
    const refusal = decodeRefusal(answer?.error)
    return refusal._tag === "Success" && refusal.value.code === NOT_FOUND &&
        noSuchTransaction.test(refusal.value.message)
      ? Effect.succeed(undefined)
      : result(answer)
  }
}

export const infoCall: RpcCall = { method: "getblockchaininfo", params: [] }
export const genesisCall: RpcCall = { method: "getblockhash", params: [0] }
export const hashCall = (height: number): RpcCall => ({ method: "getblockhash", params: [height] })
export const headerCall = (hash: string): RpcCall => ({ method: "getblockheader", params: [hash] })
/** 0: its bytes; 1: and where it stands; 2: and what it spends. */
export const transactionCall = (id: string, detail: 0 | 1 | 2): RpcCall => ({
  method: "getrawtransaction",
  params: [id, detail]
})
/** In blocks: what waits spends nothing. */
export const coinCall = (id: string, index: number): RpcCall => ({ method: "gettxout", params: [id, index, false] })
