/**
 * Blocks as one Tron node has them (TRON-6). Up to the solidified height its solidified part counts, above it its full
 * part: behind one address they may be two nodes, of which the full one is on another fork.
 */
import { Effect, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import { Hash, isNothing, RawHeader } from "../decode/NodeAnswers.ts"
import { newest, newestSolid, undecodable } from "../observe/ReadPlace.ts"
import type { TronFault } from "../rpc/TronRpc.ts"
import type { TronNode } from "../rpc/TronNode.ts"

export interface ReadHeads {
  /** The newest block of the full part. */
  readonly head: BlockRef
  /** The newest solidified block. */
  readonly solid: BlockRef
  /** By the chain's rule. −1 while no block is final. */
  readonly finalHeight: bigint
}

/** The solidified block first: the newest one is read later, so that it is behind only at a node in two parts. */
export const readHeads = Effect.fnUntraced(
  function*(node: TronNode, { finality }: Chain, deadline: number): Effect.fn.Return<ReadHeads, TronFault> {
    const solid = yield* newestSolid(node, deadline)
    const head = yield* newest(node, deadline)
    const final = finality._tag === "Tag" ? solid.height : head.height - BigInt(finality.blocks)
    return { head, solid, finalHeight: final < 0n ? -1n : final }
  }
)

/** What decides about a height. */
const partAt = ({ solidity, wallet }: TronNode, { solid }: ReadHeads, height: bigint) =>
  height <= solid.height ? solidity : wallet

const decodeHeader = Schema.decodeUnknownEffect(RawHeader)

/** Undefined above what the node has. */
export const readHashAt = Effect.fnUntraced(
  function*(
    node: TronNode,
    heads: ReadHeads,
    height: bigint,
    deadline: number
  ): Effect.fn.Return<string | undefined, TronFault> {
    const ask = partAt(node, heads, height)
    const told = yield* ask("getblock", { id_or_num: height.toString(), detail: false }, deadline)
    if (isNothing(told)) return undefined
    const { block_header: { raw_data: { number = 0 } }, blockID } = yield* undecodable(decodeHeader(told))
    return BigInt(number) === height ? blockID : yield* Effect.fail("contradiction" as const)
  }
)

const decodeIds = Schema.decodeUnknownEffect(Schema.Struct({
  blockID: Hash,
  transactions: Schema.optionalKey(Schema.Array(Schema.Struct({ txID: Hash })))
}))

/** Whether the node's block at the height holds the transaction. Fails as behind while it is another block. */
const readHolds = Effect.fnUntraced(
  function*(
    node: TronNode,
    heads: ReadHeads,
    { hash, height }: Pick<BlockRef, "hash" | "height">,
    id: TransactionId,
    deadline: number
  ): Effect.fn.Return<boolean, TronFault> {
    const ask = partAt(node, heads, height)
    const told = yield* ask("getblock", { id_or_num: height.toString(), detail: true }, deadline)
    if (isNothing(told)) return yield* Effect.fail("behind" as const)
    const { blockID, transactions = [] } = yield* undecodable(decodeIds(told))
    if (blockID !== hash) return yield* Effect.fail("behind" as const)
    return transactions.some(({ txID }) => txID === String(id))
  }
)

/**
 * Fails as behind unless the chain has another block at that height, or the same block without the transaction. A node
 * that has the block and only lacks the transaction proves nothing.
 */
export const assertNotIn = Effect.fnUntraced(
  function*(
    node: TronNode,
    heads: ReadHeads,
    block: Pick<BlockRef, "hash" | "height">,
    id: TransactionId,
    deadline: number
  ): Effect.fn.Return<void, TronFault> {
    const now = yield* readHashAt(node, heads, block.height, deadline)
    const isHeld = now === block.hash && (yield* readHolds(node, heads, block, id, deadline))
    if (now === undefined || isHeld) return yield* Effect.fail("behind" as const)
  }
)

/**
 * Fails as behind when the solidified part has another block at the height, or none: then the full part is on another
 * fork, and what it shows there is not final.
 */
export const assertSolid = Effect.fnUntraced(
  function*(
    node: TronNode,
    heads: ReadHeads,
    { hash, height }: Pick<BlockRef, "hash" | "height">,
    deadline: number
  ): Effect.fn.Return<void, TronFault> {
    if (height > heads.solid.height) return
    if ((yield* readHashAt(node, heads, height, deadline)) !== hash) return yield* Effect.fail("behind" as const)
  }
)
