/** The recorded history of transfers: their status changes, deposits and payments. Reads only. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { FailReason } from "../../../src/domain/transfer/FailReason.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Status } from "../../../src/domain/transfer/Status.ts"
import type { DepositState } from "./Deposits.ts"
import type { PaymentPurpose, PaymentState } from "./Payments.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A status change of a transfer. The first one, with sequence 0, is the quote. */
export interface TransferEvent {
  readonly sequence: number
  readonly status: Status
  readonly failReason: FailReason | null
  /** Milliseconds. */
  readonly at: number
}

/** A deposit of a transfer and its state in the store, which a reorg may change. */
export interface RecordedDeposit {
  readonly deposit: Deposit
  readonly state: DepositState
}

/** A deposit of the requested order. */
export interface OrdersDeposit extends RecordedDeposit {
  /** True while the cap on unattested refunds holds back its refund. */
  readonly isHeld: boolean
}

/** A payment of the solver for a transfer, by the purpose for which it was signed. */
export interface RecordedPayment {
  readonly leg: PaymentPurpose
  /** The deposit that the payment is for. */
  readonly onchainId: Deposit["onchainId"]
  readonly chainId: ChainId
  readonly transactionId: TransactionId
  readonly recipient: Address
  readonly currency: CurrencyAddress
  /** Smallest units of the currency. */
  readonly amount: bigint
  /** As of the stored payment (REFUND-8). */
  readonly deposited?: bigint
  readonly state: PaymentState
  /** Null while no block contains it. */
  readonly block: BlockRef | null
  /** Smallest units of the chain's native currency. */
  readonly gasPaid: bigint | null
}

/** The most deposits shown for one order, and looked at for a list of transfers. */
export const MOST_SHOWN = 100

/** What was recorded of a transfer: statuses, deposits, payments, in their order. */
export class TransferHistory extends Context.Service<TransferHistory, {
  /** Changes after a sequence (−1 for all), oldest first. */
  readonly eventsAfter: (
    id: RequestId,
    sequence: number
  ) => Effect.Effect<ReadonlyArray<TransferEvent>, StoreUnavailable>
  /** The sequence of the last change of each of these requests. One that does not exist is left out. */
  readonly lastChanges: (
    ids: ReadonlyArray<RequestId>
  ) => Effect.Effect<ReadonlyMap<RequestId, number>, StoreUnavailable>
  /**
   * A text that differs as soon as the status, or a shown deposit, payment or direct payment of the request differs; in
   * one statement. Undefined for an id that does not exist. The text means nothing else and is not stored.
   */
  readonly version: (id: RequestId) => Effect.Effect<string | undefined, StoreUnavailable>
  /**
   * Deposits that name the order, oldest first, without those that a reorg removed. Anybody can make more than
   * `MOST_SHOWN`; then the list has those that were filled, followed by those with the highest precedence
   * (`NamedDeposit`).
   */
  readonly deposits: (orderId: OrderId) => Effect.Effect<ReadonlyArray<OrdersDeposit>, StoreUnavailable>
  /** Deposits that name the order and that a reorg removed, last seen first; at most `MOST_SHOWN`. */
  readonly goneDeposits: (orderId: OrderId) => Effect.Effect<ReadonlyArray<Deposit>, StoreUnavailable>
  /** All deposits that name the order, without a limit: for operators. */
  readonly allDeposits: (orderId: OrderId) => Effect.Effect<ReadonlyArray<OrdersDeposit>, StoreUnavailable>
  /** Payments for the order, oldest first: its fills, and the payments for the deposits that `deposits` returns. */
  readonly payments: (orderId: OrderId) => Effect.Effect<ReadonlyArray<RecordedPayment>, StoreUnavailable>
  /** All payments for the order, without a limit, oldest first: for a restored store. */
  readonly allPayments: (orderId: OrderId) => Effect.Effect<ReadonlyArray<RecordedPayment>, StoreUnavailable>
  /** The order's payments for the given purposes. */
  readonly paymentsOf: (
    orderId: OrderId,
    legs: ReadonlyArray<PaymentPurpose>
  ) => Effect.Effect<ReadonlyArray<RecordedPayment>, StoreUnavailable>
  /** Transfers that one of these transactions paid in or paid out; at most 50. */
  readonly ofTransactions: (
    ids: ReadonlyArray<TransactionId>
  ) => Effect.Effect<ReadonlyArray<RequestId>, StoreUnavailable>
  /**
   * Transfers of which a deposit was filled or refunded, the last seen first. It looks at the last `MOST_SHOWN` deposits
   * of either kind, so many refunds of one transfer can hide others.
   */
  readonly lastEnded: (limit: number) => Effect.Effect<ReadonlyArray<RequestId>, StoreUnavailable>
}>()("causeway/ports/TransferHistory") {}
