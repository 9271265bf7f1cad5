/** The block that a payment names, and until when it can then be executed (TRON-7). */
import { Effect } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { expirationOf } from "../../../src/domain/families/tron/payment/Lifetime.ts"
import type { ReadingRule } from "../../../src/domain/quorum/AgreeOnReading.ts"
import { blockAt, newest, newestSolid } from "../observe/ReadPlace.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import type { TronFault, TronRead, TronRpc } from "../rpc/TronRpc.ts"

export interface Reference {
  readonly block: BlockRef
  /** Milliseconds of chain time. */
  readonly expiration: number
}

/** `behind` while the node's solidified part is far behind the other: what is signed now would expire at once. */
export const readReference = Effect.fnUntraced(
  function*(node: TronNode, lifetimeMinutes: number, deadline: number): Effect.fn.Return<Reference, TronFault> {
    const [block, head] = yield* Effect.all([newestSolid(node, deadline), newest(node, deadline)], {
      concurrency: "unbounded"
    })
    const expiration = expirationOf(block, head, lifetimeMinutes)
    return expiration === undefined ? yield* Effect.fail("behind" as const) : { block, expiration }
  }
)

/** An endpoint that is a block behind does not show it yet. */
const rule: ReadingRule<boolean> = {
  same: (left, right) => left === right,
  combine: ([first]) => first,
  claims: (isRight) => isRight ? "proven" : "open"
}

/** The quorum must show what a payment rests on. `behind` while it does not. */
export const witness = (
  rpc: TronRpc["Service"],
  chain: Chain,
  operation: string,
  read: TronRead<boolean>
): Effect.Effect<void, ChainUnavailable> =>
  rpc.isAlone(chain)
    ? Effect.void
    : rpc.witnessed(chain, { operation, call: (client) => client.read(read), rule, rests: () => true }, "quorum").pipe(
      Effect.filterOrFail(
        (isRight) => isRight,
        () => new ChainUnavailable({ chain: chain.slug, operation, kind: "behind" })
      ),
      Effect.asVoid
    )

/**
 * Whether the node's solidified part has the block, with its time. The quorum must have it: an endpoint that made one up
 * would delay the payment until it has expired, which an invented time puts off.
 */
export const showsBlock = (
  { hash, height, time }: BlockRef
): TronRead<boolean> =>
  Effect.fnUntraced(function*(node, deadline): Effect.fn.Return<boolean, TronFault> {
    if ((yield* newestSolid(node, deadline)).height < height) return false
    const block = yield* blockAt({ wallet: node.solidity }, height, deadline)
    return block.hash === hash && block.time === time
  })
