/**
 * What reorganisations took after it had been acted upon: deposits that were paid for and are no longer there, and
 * payments of ours that are undone and owed again. Booked when it is noticed, taken back when it stands again for good.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** A deposit that was paid for, or a payment of ours. */
export type LossKind = "deposit" | "payment"

/** What was taken, and from which order. */
export interface Loss {
  readonly kind: LossKind
  /** Where it was. */
  readonly chainId: ChainId
  readonly orderId: OrderId
  /** The deposit that is gone, or that the payment answered; for a payout its own id. */
  readonly deposit: Hex32
  readonly transactionId: TransactionId
  readonly currency: CurrencyAddress
  /** Smallest units of the currency. */
  readonly amount: bigint
}

/** A loss as it is kept. */
export interface BookedLoss extends Loss {
  /** Milliseconds. */
  readonly noticedAt: number
  /** Milliseconds; null while it is a loss. */
  readonly recoveredAt: number | null
}

export class Losses extends Context.Service<Losses, {
  /**
   * Books a loss, and opens again in the same transaction what it belongs to: the deposit as a new sighting, where its
   * filling had ended or a payment of it is lost, which the filling may have found final a moment before; the payout,
   * in its next round. Either is looked at once the chain may be used. False for one that is booked already.
   */
  readonly book: (loss: Loss, at: number) => Effect.Effect<boolean, StoreUnavailable>
  /** What was lost stands again, in a final block. */
  readonly recover: (deposit: Hex32, kind: LossKind, at: number) => Effect.Effect<void, StoreUnavailable>
  /** Newest first. */
  readonly all: Effect.Effect<ReadonlyArray<BookedLoss>, StoreUnavailable>
}>()("causeway/ports/Losses") {}
