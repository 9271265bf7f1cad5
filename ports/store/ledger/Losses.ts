/**
 * Losses caused by reorgs after the service had acted: deposits that were paid for and are gone, and payments of ours
 * that were undone and are owed again. A loss is booked when it is detected, and marked as recovered when the
 * transaction is in a final block again.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** `deposit`: a deposit that was paid for. `payment`: a payment of ours. */
export type LossKind = "deposit" | "payment"

/** What was lost, and for which order. */
export interface Loss {
  readonly kind: LossKind
  /** The chain on which it was lost. */
  readonly chainId: ChainId
  readonly orderId: OrderId
  /** The deposit that is gone, or the one that the lost payment was for; for a payout, its own id. */
  readonly deposit: Hex32
  readonly transactionId: TransactionId
  readonly currency: CurrencyAddress
  /** Smallest units of the currency. */
  readonly amount: bigint
}

/** A loss as it is stored. */
export interface BookedLoss extends Loss {
  /** Milliseconds. */
  readonly noticedAt: number
  /** Milliseconds; null while the loss is not recovered. */
  readonly recoveredAt: number | null
}

/** Losses by reorgs, each booked once and marked when it is recovered. */
export class Losses extends Context.Service<Losses, {
  /**
   * Books a loss and, in the same transaction, reopens what it belongs to. The deposit gets a new sighting if its
   * filling had ended or a payment of it is lost (the filling may have seen that payment as final a moment before). A
   * payout begins its next round. Both are processed once the chain is in use again. A loss that is booked already gets
   * this amount: a part of the deposit has come back, or is gone, too. False when it is booked with this amount, and for a deposit that is `gone` in the store and has no payment: nothing was paid for it, or another deposit
   * has taken over its payment.
   */
  readonly book: (loss: Loss, at: number) => Effect.Effect<boolean, StoreUnavailable>
  /** Marks losses as recovered: the deposit or payment is in a final block again. */
  readonly recover: (
    deposit: Hex32,
    kinds: ReadonlyArray<LossKind>,
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  /** Newest first. */
  readonly all: Effect.Effect<ReadonlyArray<BookedLoss>, StoreUnavailable>
}>()("causeway/ports/Losses") {}
