/** Where transfers are kept, from the quote to the end: durable once a call returns. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { FailReason } from "../../../src/domain/transfer/FailReason.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Status } from "../../../src/domain/transfer/Status.ts"
import type { Transfer, TransferTerms } from "../../../src/domain/transfer/Transfer.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A move of a transfer from its state to the next. */
export interface StatusChange {
  readonly to: Status
  /** Milliseconds. */
  readonly at: number
  readonly failReason?: FailReason
}

/** A request that has a deposit and has not ended. */
export interface UnendedTransfer {
  readonly id: RequestId
  readonly status: Status
  /** Milliseconds: when it came into this state. */
  readonly since: number
  readonly originChainId: ChainId
  readonly destinationChainId: ChainId
}

export class Transfers extends Context.Service<Transfers, {
  readonly add: (transfer: Transfer) => Effect.Effect<void, StoreUnavailable>
  readonly find: (id: RequestId) => Effect.Effect<Transfer | undefined, StoreUnavailable>
  readonly findByOrder: (orderId: OrderId) => Effect.Effect<Transfer | undefined, StoreUnavailable>
  /** The terms of those orders that a transfer has; for any number of them in a bounded number of statements. */
  readonly known: (
    orderIds: ReadonlyArray<OrderId>
  ) => Effect.Effect<ReadonlyMap<OrderId, TransferTerms>, StoreUnavailable>
  /** Moves a transfer if the status machine allows it, and appends the change to its events; false when it does not. */
  readonly move: (id: RequestId, change: StatusChange) => Effect.Effect<boolean, StoreUnavailable>
  /** Requests with a deposit that have not ended, the longest in its state first. */
  readonly unended: (limit: number) => Effect.Effect<ReadonlyArray<UnendedTransfer>, StoreUnavailable>
  /** How many requests with a deposit have not ended, by state; a state without any is not in it. */
  readonly unendedByStatus: Effect.Effect<ReadonlyMap<Status, number>, StoreUnavailable>
}>()("causeway/ports/Transfers") {}
