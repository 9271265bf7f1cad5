/**
 * Where sends are kept until the chain has carried them out: which are awaited, which were seen, up to which block was
 * looked.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { BlockRef } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { Cursor } from "../../chain/DepositWatcher.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A send that was seen in a block. */
export interface SeenSend {
  readonly orderId: OrderId
  readonly transactionId: TransactionId
  readonly block: BlockRef
}

export class Sends extends Context.Service<Sends, {
  /** Where looking begins, unless it has begun: before the quote of a send is answered. */
  readonly anchor: (chainId: ChainId, at: Cursor) => Effect.Effect<void, StoreUnavailable>
  /** Undefined when nothing is looked for. */
  readonly cursor: (chainId: ChainId) => Effect.Effect<Cursor | undefined, StoreUnavailable>
  /** Moves the cursor together with what was seen before it. */
  readonly record: (
    chainId: ChainId,
    cursor: Cursor,
    seen: ReadonlyArray<SeenSend>
  ) => Effect.Effect<void, StoreUnavailable>
  /** One send that was seen without a scan. */
  readonly note: (seen: SeenSend) => Effect.Effect<void, StoreUnavailable>
  /**
   * Ends looking on a chain on which nothing is awaited that was quoted after `since` (milliseconds), nor unsettled.
   */
  readonly rest: (chainId: ChainId, since: number) => Effect.Effect<void, StoreUnavailable>
  readonly unsettled: (chainId: ChainId) => Effect.Effect<ReadonlyArray<SeenSend>, StoreUnavailable>
  readonly settle: (orderId: OrderId) => Effect.Effect<void, StoreUnavailable>
  /** Gives a send back to waiting, when a reorganisation took its transaction. */
  readonly lose: (orderId: OrderId) => Effect.Effect<void, StoreUnavailable>
  readonly find: (orderId: OrderId) => Effect.Effect<SeenSend | undefined, StoreUnavailable>
}>()("causeway/ports/Sends") {}
