/**
 * What transactions of blocks show, by node and block, so that a scan that has to begin again goes on where it ended:
 * anybody can put hundreds of transactions into one block that each have to be read. What a block holds never changes.
 */
import { Effect } from "effect"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { ByteBoundedCache } from "../../endpoints/ByteBoundedCache.ts"
import { ClientNames } from "../../endpoints/ClientNames.ts"
import type { TronFault } from "../rpc/TronRpc.ts"
import type { TronNode } from "../rpc/TronNode.ts"

/** A transaction in a block. */
export interface Place {
  readonly id: TransactionId
  readonly height: bigint
  /** Of the block. */
  readonly hash: string
}

const MAX_BYTES = 32 * 1024 * 1024

/** Requests for transactions at a time. */
const AT_ONCE = 4

export class Remembered<A extends object> {
  private readonly known = new ByteBoundedCache<A>(MAX_BYTES)
  private readonly clients = new ClientNames<TronNode>()

  /** What each of the transactions shows, in their order. `read` is asked for what is not known yet. */
  all(
    node: TronNode,
    places: ReadonlyArray<Place>,
    read: (place: Place) => Effect.Effect<A, TronFault>
  ): Effect.Effect<ReadonlyArray<A>, TronFault> {
    return Effect.forEach(places, (place) => {
      const key = `${this.clients.nameOf(node)}:${place.hash}:${place.id}`
      const before = this.known.find(key)
      return before === undefined
        ? Effect.tap(read(place), (shown) => Effect.sync(() => this.known.keep(key, shown)))
        : Effect.succeed(before)
    }, { concurrency: AT_ONCE })
  }
}
