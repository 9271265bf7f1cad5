/** What one node says about positions: its best block, its chain, and the block of a transaction. */
import { Effect } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { BtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { readBtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { Heads } from "../../../src/domain/evidence/Finality.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import type { RpcAnswer } from "../../quorum/rpc/JsonRpcPool.ts"
import { bytesOfHex, Hash, Header } from "../decode/NodeAnswers.ts"
import { hashCall, headerCall, resultOf } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"

const headerOf = resultOf(Header)
const hashOf = resultOf(Hash)

/** Whether the answer to `identityCall` is the configured chain's. False when the configuration names no block. */
export const isOnChain = (
  { checkpoint, genesisHash }: Pick<Chain, "checkpoint" | "genesisHash">,
  answer: RpcAnswer | undefined
): boolean => {
  const hash = checkpoint?.hash ?? genesisHash
  return hash !== undefined && answer?.result === hash
}

export const asHeader = Effect.fnUntraced(
  function*(answer: RpcAnswer | undefined, hash: string): Effect.fn.Return<BlockRef, ReadFault> {
    const header = yield* headerOf(answer)
    return header.hash === hash
      ? { height: BigInt(header.height), hash, time: header.time }
      : yield* Effect.fail("contradiction" as const)
  }
)

/** A block is final when the number of blocks on top of it satisfies the finality rule. */
export const headsOf = ({ finality }: Pick<Chain, "finality">, { height, time }: BlockRef): Heads => ({
  finalHeight: finality._tag === "Depth" && height >= BigInt(finality.blocks) ? height - BigInt(finality.blocks) : -1n,
  head: { height, time }
})

/** SECURITY: bytes that do not hash to the id belong to another transaction. */
export const decodedAs = (id: string, hex: string): Effect.Effect<BtcTransaction, ReadFault> => {
  const transaction = readBtcTransaction(bytesOfHex(hex))
  if (transaction === undefined) return Effect.fail("undecodable")
  return transaction.id === id ? Effect.succeed(transaction) : Effect.fail("contradiction")
}

/** The header of a block, if it is the block at its height. A node also remembers blocks that its chain has left. */
export const canonical = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    block: Pick<BlockRef, "hash" | "height">,
    deadline: number
  ): Effect.fn.Return<boolean, ReadFault> {
    const [answer] = yield* rpc.answers([hashCall(Number(block.height))], deadline)
    return (yield* hashOf(answer)) === block.hash
  }
)

export const readHeader = Effect.fnUntraced(
  function*(rpc: CoreRpc, hash: string, deadline: number): Effect.fn.Return<BlockRef, ReadFault> {
    const [answer] = yield* rpc.answers([headerCall(hash)], deadline)
    return yield* asHeader(answer, hash)
  }
)

/** The headers of these blocks, in one request, by their hashes. */
export const readHeaders = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    hashes: ReadonlyArray<string>,
    deadline: number
  ): Effect.fn.Return<ReadonlyMap<string, BlockRef>, ReadFault> {
    const asked = [...new Set(hashes)]
    if (asked.length === 0) return new Map()
    const answers = yield* rpc.answers(asked.map(headerCall), deadline)
    const headers = yield* Effect.forEach(asked, (hash, at) => asHeader(answers[at], hash))
    return new Map(headers.map((header) => [header.hash, header]))
  }
)
