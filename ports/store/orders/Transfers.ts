/** Stores transfers, from the quote to the end. Every write is durable once its call returns. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { FailReason } from "../../../src/domain/transfer/FailReason.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Status } from "../../../src/domain/transfer/Status.ts"
import type { Transfer, TransferTerms } from "../../../src/domain/transfer/Transfer.ts"
import type { Cursor } from "../../chain/DepositWatcher.ts"
import type { InventoryReservation } from "./InventoryReservations.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A transfer's move from its state to the next. */
export interface StatusChange {
  readonly to: Status
  /** Milliseconds. */
  readonly at: number
  readonly failReason?: FailReason
  /** Written in the same transaction, whether it moves or not: inventory of its order that is reserved from now on. */
  readonly reserves?: ReadonlyArray<InventoryReservation>
  /** The same: its order takes no inventory any more. */
  readonly releases?: OrderId
}

/** A request that has a deposit and has not ended. */
export interface UnendedTransfer {
  readonly id: RequestId
  readonly status: Status
  /** Milliseconds: when it entered this state. */
  readonly since: number
  readonly originChainId: ChainId
  readonly destinationChainId: ChainId
}

/** A deposit, its current sighting, and the transfer of its order. */
export interface NamedTransfer {
  readonly deposit: Deposit
  readonly sighting: number
  readonly transfer: Transfer
}

/** Transfers by request, order and deposit address. A status only moves as the domain allows. */
export class Transfers extends Context.Service<Transfers, {
  /**
   * Adds a transfer. With the first one that its user carries out alone, the scan of its chain begins after `scanFrom`,
   * in the same transaction, unless it has begun: whatever a backup has, such a payment is looked for.
   */
  readonly add: (transfer: Transfer, scanFrom?: Cursor) => Effect.Effect<void, StoreUnavailable>
  readonly find: (id: RequestId) => Effect.Effect<Transfer | undefined, StoreUnavailable>
  readonly findByOrder: (orderId: OrderId) => Effect.Effect<Transfer | undefined, StoreUnavailable>
  /** A recorded deposit with the transfer that it names; undefined for any other. */
  readonly findByDeposit: (
    onchainId: Deposit["onchainId"]
  ) => Effect.Effect<NamedTransfer | undefined, StoreUnavailable>
  /** The terms of those orders that belong to a transfer, in a bounded number of statements. */
  readonly known: (
    orderIds: ReadonlyArray<OrderId>
  ) => Effect.Effect<ReadonlyMap<OrderId, TransferTerms>, StoreUnavailable>
  /**
   * Moves a transfer if the status machine allows it, and appends the change to its events. False when it is not
   * allowed.
   */
  readonly move: (id: RequestId, change: StatusChange) => Effect.Effect<boolean, StoreUnavailable>
  /** Requests with a deposit that have not ended, the longest in their state first. */
  readonly unended: (limit: number) => Effect.Effect<ReadonlyArray<UnendedTransfer>, StoreUnavailable>
  /** How many requests with a deposit have not ended, by state. States without requests are left out. */
  readonly unendedByStatus: Effect.Effect<ReadonlyMap<Status, number>, StoreUnavailable>
}>()("causeway/ports/Transfers") {}
