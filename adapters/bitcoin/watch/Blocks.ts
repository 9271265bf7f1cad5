/** Blocks as one node has them: by height, and what they hold. */
import { Effect, Result } from "effect"
import type { Cursor, Head } from "../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { BtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { readBtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { wantedInBlock } from "../../../src/domain/families/bitcoin/evidence/BtcBlock.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { BlockIds, bytesOfHex, Hash, Info, Link, RawBytes } from "../decode/NodeAnswers.ts"
import { headsOf, readHeader } from "../observe/ReadPlace.ts"
import { blockCall, hashCall, headerCall, infoCall, resultOf } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"

const infoOf = resultOf(Info)
const hashOf = resultOf(Hash)
const linkOf = resultOf(Link)
const idsOf = resultOf(BlockIds)
const bytesOf = resultOf(RawBytes)

export interface ReadHead extends Head {
  /** −1 while no block is final. */
  readonly finalHeight: bigint
}

/** The newest block, and the newest final one's height. */
export const readHead = Effect.fnUntraced(
  function*(rpc: CoreRpc, chain: Chain, deadline: number): Effect.fn.Return<ReadHead, ReadFault> {
    const [told] = yield* rpc.answers([infoCall], deadline)
    const { bestblockhash } = yield* infoOf(told)
    const head = yield* readHeader(rpc, bestblockhash, deadline)
    return { ...head, finalHeight: headsOf(chain, head).finalHeight }
  }
)

/** Undefined above the head. */
export const readHashAt = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    head: Cursor,
    height: bigint,
    deadline: number
  ): Effect.fn.Return<string | undefined, ReadFault> {
    if (height > head.height) return undefined
    const [answer] = yield* rpc.answers([hashCall(Number(height))], deadline)
    return yield* hashOf(answer)
  }
)

/**
 * The height of the newest block that the chain shares with a block that it has left. Undefined when the node does not
 * remember that block, or the chain left it further back than `most` blocks.
 */
export const readFork = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    left: Cursor,
    most: bigint,
    deadline: number
  ): Effect.fn.Return<bigint | undefined, ReadFault> {
    let hash = left.hash
    for (let steps = 0n; steps <= most; steps += 1n) {
      const link = yield* Effect.result(linkOf((yield* rpc.answers([headerCall(hash)], deadline))[0]))
      if (Result.isFailure(link) || link.success.hash !== hash) return undefined
      const { confirmations, height, previousblockhash } = link.success
      if (confirmations >= 0) return BigInt(height)
      if (previousblockhash === undefined) return undefined
      hash = previousblockhash
    }
    return undefined
  }
)

/** Whether a block of the node holds the transaction. */
export const readHolds = Effect.fnUntraced(
  function*(rpc: CoreRpc, hash: string, id: string, deadline: number): Effect.fn.Return<boolean, ReadFault> {
    const block = yield* idsOf((yield* rpc.answers([blockCall(hash, 1)], deadline))[0])
    return block.hash === hash ? block.tx.includes(id) : yield* Effect.fail("contradiction" as const)
  }
)

/** The block's transactions with a wanted output, in the block's order. */
export const readWanted = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    hash: string,
    isWanted: (script: Uint8Array) => boolean,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<BtcTransaction>, ReadFault> {
    const text = yield* bytesOf((yield* rpc.answers([blockCall(hash, 0)], deadline))[0])
    const block = wantedInBlock(bytesOfHex(text), isWanted)
    if (block === undefined) return yield* Effect.fail("undecodable" as const)
    if (block.hash !== hash) return yield* Effect.fail("contradiction" as const)
    return block.transactions.flatMap((bytes) => readBtcTransaction(bytes) ?? [])
  }
)
