/** What one Tron node says about positions: its chain, its blocks, and which of them are solidified. */
import { Effect, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { Quantity } from "../../quorum/rpc/EvmReceipt.ts"
import type { RpcCall } from "../../quorum/rpc/JsonRpcPool.ts"
import { RawHeader } from "../decode/NodeAnswers.ts"
import type { TronNode } from "../rpc/TronNode.ts"

const decodeHeader = Schema.decodeUnknownEffect(RawHeader)
const decodeQuantity = Schema.decodeUnknownEffect(Quantity)

export const undecodable = Effect.mapError((): ReadFault => "undecodable")

const headerOf = (answer: unknown): Effect.Effect<BlockRef, ReadFault> =>
  Effect.map(
    undecodable(decodeHeader(answer)),
    ({ block_header: { raw_data: { number = 0, timestamp = 0 } }, blockID }) => ({
      height: BigInt(number),
      hash: blockID,
      time: Math.floor(timestamp / 1_000)
    })
  )

/** Without the transactions: a block has hundreds. */
const headOnly = { detail: false } as const

export const newest = ({ wallet }: TronNode, deadline: number) =>
  Effect.flatMap(wallet("getblock", headOnly, deadline), headerOf)

export const newestSolid = ({ solidity }: TronNode, deadline: number) =>
  Effect.flatMap(solidity("getblock", headOnly, deadline), headerOf)

/** The canonical block at a height, solidified or not. */
export const blockAt = Effect.fnUntraced(
  function*(
    { wallet }: Pick<TronNode, "wallet">,
    height: bigint,
    deadline: number
  ): Effect.fn.Return<BlockRef, ReadFault> {
    const block = yield* headerOf(yield* wallet("getblock", { id_or_num: height.toString(), ...headOnly }, deadline))
    return block.height === height ? block : yield* Effect.fail("contradiction" as const)
  }
)

const chainIdCall: RpcCall = { method: "eth_chainId", params: [] }

/** A chain's number is the end of its first block's id, unless the configuration names that block. */
const isGenesis = ({ genesisHash, id }: Pick<Chain, "genesisHash" | "id">, hash: string): boolean =>
  genesisHash === undefined ? hash.endsWith(id.toString(16).padStart(8, "0")) : hash === genesisHash

/** Asks both interfaces: behind one address they may be two nodes. */
export const isOn = Effect.fnUntraced(
  function*(node: TronNode, chain: Chain, deadline: number): Effect.fn.Return<boolean, ReadFault> {
    const [[chainId], genesis] = yield* Effect.all(
      [node.jsonRpc([chainIdCall], deadline), blockAt(node, 0n, deadline)],
      { concurrency: "unbounded" }
    )
    return (yield* undecodable(decodeQuantity(chainId))) === BigInt(chain.id) && isGenesis(chain, genesis.hash)
  }
)

export const assertOn = (node: TronNode, chain: Chain, deadline: number): Effect.Effect<void, ReadFault> =>
  Effect.flatMap(isOn(node, chain, deadline), (is) => is ? Effect.void : Effect.fail("wrong-chain"))
