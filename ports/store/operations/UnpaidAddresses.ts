/**
 * Deposit addresses that were never paid. Their quotes are dropped once they are old; the address stays (ADDRESS-16).
 * The domain decides what may be dropped and when; this port guarantees that nothing was ever seen for the address.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { UnpaidQuote } from "../../../src/domain/transfer/Retention.ts"
import type { KeptAddress } from "../orders/DepositAddresses.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** An address with the quote that it was made with, which is the only quote for it. */
export interface UnpaidAddress extends UnpaidQuote {
  readonly kept: KeptAddress
}

/** Deposit addresses that nothing was ever recorded for, and the dropping of their quotes. */
export class UnpaidAddresses extends Context.Service<UnpaidAddresses, {
  /** The oldest addresses that were quoted before a time (milliseconds) and come after `after`, ordered by time. */
  readonly list: (
    quotedBefore: number,
    after: Pick<UnpaidQuote, "id" | "quotedAt"> | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<UnpaidAddress>, StoreUnavailable>
  /**
   * Drops quote and order of an address, unless anything was ever recorded for it: a deposit, a payment, a sweep, a
   * sponsor's hold or another request, even one recorded concurrently. False when the quote stays. `at` in
   * milliseconds.
   */
  readonly drop: (unpaid: UnpaidAddress, at: number) => Effect.Effect<boolean, StoreUnavailable>
  /** What is stored of an address whose quote was dropped; undefined for every other address. */
  readonly dropped: (address: Address) => Effect.Effect<KeptAddress | undefined, StoreUnavailable>
  /** The dropped address from which one of our transactions has swept this currency under no order. */
  readonly sweptBy: (
    transactionId: TransactionId,
    currency: CurrencyAddress
  ) => Effect.Effect<KeptAddress | undefined, StoreUnavailable>
  /**
   * Those of the transactions that are our sweeps of a dropped address under no order. Takes a bounded number of
   * statements.
   */
  readonly sweepsAmong: (
    transactionIds: ReadonlyArray<TransactionId>
  ) => Effect.Effect<ReadonlySet<TransactionId>, StoreUnavailable>
}>()("causeway/ports/UnpaidAddresses") {}
