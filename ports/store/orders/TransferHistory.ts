/** What happened to transfers, as it was recorded: their changes of state, deposits and payments. Reads only. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { BlockRef, Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { FailReason } from "../../../src/domain/transfer/FailReason.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Status } from "../../../src/domain/transfer/Status.ts"
import type { DepositState } from "./Deposits.ts"
import type { PaymentPurpose, PaymentState } from "./Payments.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A change of a transfer's state; the first, of sequence 0, is the quote. */
export interface TransferEvent {
  readonly sequence: number
  readonly status: Status
  readonly failReason: FailReason | null
  /** Milliseconds. */
  readonly at: number
}

export interface RecordedDeposit {
  readonly deposit: Deposit
  readonly state: DepositState
}

/** A deposit of an order that is asked for. */
export interface OrdersDeposit extends RecordedDeposit {
  /** It is not given back because the cap on unattested refunds holds it back. */
  readonly isHeld: boolean
}

export interface RecordedPayment {
  readonly leg: PaymentPurpose
  /** The deposit that it answers. */
  readonly onchainId: Deposit["onchainId"]
  readonly chainId: ChainId
  readonly transactionId: TransactionId
  readonly recipient: Address
  readonly currency: CurrencyAddress
  /** Smallest units of the currency. */
  readonly amount: bigint
  readonly state: PaymentState
  /** Null while it is in no block. */
  readonly block: BlockRef | null
  /** Smallest units of the chain's native currency. */
  readonly gasPaid: bigint | null
}

/** Of one order's deposits. */
export const MOST_SHOWN = 100

export class TransferHistory extends Context.Service<TransferHistory, {
  /** Changes after a sequence (all of them after −1), oldest first. */
  readonly eventsAfter: (
    id: RequestId,
    sequence: number
  ) => Effect.Effect<ReadonlyArray<TransferEvent>, StoreUnavailable>
  /**
   * Deposits that name the order, oldest first; those that a reorganisation took away are left out. Of more than
   * `MOST_SHOWN`, which anybody can make, those that were filled, and then those that come first (`NamedDeposit`).
   */
  readonly deposits: (orderId: OrderId) => Effect.Effect<ReadonlyArray<OrdersDeposit>, StoreUnavailable>
  /** All deposits that name the order, however many: for operators. */
  readonly allDeposits: (orderId: OrderId) => Effect.Effect<ReadonlyArray<OrdersDeposit>, StoreUnavailable>
  /** Payments for the order, oldest first: its fills, and what answers the deposits that `deposits` shows. */
  readonly payments: (orderId: OrderId) => Effect.Effect<ReadonlyArray<RecordedPayment>, StoreUnavailable>
  /** Payments for the order by their legs. */
  readonly paymentsOf: (
    orderId: OrderId,
    legs: ReadonlyArray<PaymentPurpose>
  ) => Effect.Effect<ReadonlyArray<RecordedPayment>, StoreUnavailable>
  /** Transfers that one of these transactions paid into or out of; at most 50. */
  readonly ofTransactions: (
    ids: ReadonlyArray<TransactionId>
  ) => Effect.Effect<ReadonlyArray<RequestId>, StoreUnavailable>
}>()("causeway/ports/TransferHistory") {}
