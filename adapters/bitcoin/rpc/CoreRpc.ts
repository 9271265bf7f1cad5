/**
 * Bitcoin Core's JSON-RPC. Core reports an unknown transaction as an error, with the same code as when it cannot tell.
 * SECURITY: only the message of a node with a complete index means that there is no such transaction.
 */
import { Context, Effect, Schema } from "effect"
import type { Redacted, Scope } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { makeAnsweringRpc } from "../../quorum/rpc/JsonRpc.ts"
import type { AnsweringRpc } from "../../quorum/rpc/JsonRpc.ts"
import type { RpcAnswer, RpcCall } from "../../quorum/rpc/JsonRpcPool.ts"
import { Refusal } from "../decode/NodeAnswers.ts"

export type CoreRpc = AnsweringRpc

/** How a node at a URL is reached. The scope closes its connections. */
export type ConnectCore = (url: Redacted.Redacted) => Effect.Effect<CoreRpc, never, Scope.Scope>

/** Over HTTP, unless a simulation has its nodes in memory. */
export const CoreConnection = Context.Reference<ConnectCore>("causeway/adapters/bitcoin/CoreConnection", {
  defaultValue: () => (url) => makeAnsweringRpc(url)
})

export const openCore: ConnectCore = (url) => Effect.flatMap(CoreConnection, (connect) => connect(url))

const NOT_FOUND = -5
/** Without an index, or while it is being built, Core answers the same code with another message. */
const noSuchTransaction = /^No such mempool or blockchain transaction/

const decodeRefusal = Schema.decodeUnknownExit(Refusal)

/** The result of a call. An error of the call is a fault. Older nodes send both members, one of them null. */
export const resultOf = <A>(schema: Schema.ConstraintDecoder<A>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (answer: RpcAnswer | undefined): Effect.Effect<A, ReadFault> =>
    answer === undefined || (answer.error !== undefined && answer.error !== null)
      ? Effect.fail("refused")
      : Effect.mapError(decode(answer.result), (): ReadFault => "undecodable")
}

const resultUnless = (says: RegExp) => <A>(schema: Schema.ConstraintDecoder<A>) => {
  const result = resultOf(schema)
  return (answer: RpcAnswer | undefined): Effect.Effect<A | undefined, ReadFault> => {
    const refusal = decodeRefusal(answer?.error)
    return refusal._tag === "Success" && refusal.value.code === NOT_FOUND && says.test(refusal.value.message)
      ? Effect.succeed(undefined)
      : result(answer)
  }
}

/** Like `resultOf`, for a result that may be missing. */
export const resultOrNone = resultUnless(noSuchTransaction)

/** Like `resultOf`, for a transaction that the pool may not have. */
export const resultOrUnpooled = resultUnless(/^Transaction not in mempool/)

export const infoCall: RpcCall = { method: "getblockchaininfo", params: [] }
export const hashCall = (height: number): RpcCall => ({ method: "getblockhash", params: [height] })
/** Asks for the block that identifies the chain: its first, unless a later one is configured (BITCOIN-21). */
export const identityCall = ({ checkpoint }: Pick<Chain, "checkpoint">): RpcCall => hashCall(checkpoint?.height ?? 0)
export const headerCall = (hash: string): RpcCall => ({ method: "getblockheader", params: [hash] })
/** 0: its bytes. 1: also its block. 2: also what it spends. */
export const transactionCall = (id: string, detail: 0 | 1 | 2): RpcCall => ({
  method: "getrawtransaction",
  params: [id, detail]
})
/** Counts blocks only: a waiting transaction spends nothing. */
export const coinCall = (id: string, index: number): RpcCall => ({ method: "gettxout", params: [id, index, false] })
/** `waiting`: what a waiting transaction spends is spent, too. */
export const unspentCall = (
  coin: { readonly transactionId: string; readonly index: number },
  waiting: boolean
): RpcCall => ({
  method: "gettxout",
  params: [coin.transactionId, coin.index, waiting]
})

/** Every unspent output of an address, from all that the node has: minutes on a public chain. */
export const scanCall = (address: string): RpcCall => ({
  method: "scantxoutset",
  params: ["start", [`addr(${address})`]]
})

/** A fee rate for a transaction that should be in one of the next blocks. */
export const estimateCall = (blocks: number): RpcCall => ({ method: "estimatesmartfee", params: [blocks] })
/** What the pool knows of a transaction that waits, and of those that spend it. */
export const pooledCall = (id: string): RpcCall => ({ method: "getmempoolentry", params: [id] })
export const mempoolCall: RpcCall = { method: "getmempoolinfo", params: [] }
/**
 * The node refuses fee rates above 0.1 BTC for a thousand virtual bytes, which is five times the highest that is
 * signed.
 */
export const sendCall = (hex: string): RpcCall => ({ method: "sendrawtransaction", params: [hex] })

/** 0: its bytes. 1: the ids of its transactions. */
export const blockCall = (hash: string, detail: 0 | 1): RpcCall => ({ method: "getblock", params: [hash, detail] })
