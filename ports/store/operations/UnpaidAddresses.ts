/**
 * Deposit addresses that nobody has paid: their quotes are dropped once they are old, and the address stays
 * (ADDRESS-16). What may go and when is the domain's to say; that nothing was seen for it is this port's.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { UnpaidQuote } from "../../../src/domain/transfer/Retention.ts"
import type { KeptAddress } from "../orders/DepositAddresses.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** An address with the quote that it was made with, which is the only one for it. */
export interface UnpaidAddress extends UnpaidQuote {
  readonly kept: KeptAddress
}

export class UnpaidAddresses extends Context.Service<UnpaidAddresses, {
  /** The oldest that were quoted before a time (milliseconds) and come after `after`, in the order of their times. */
  readonly list: (
    quotedBefore: number,
    after: Pick<UnpaidQuote, "id" | "quotedAt"> | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<UnpaidAddress>, StoreUnavailable>
  /**
   * Drops quote and order of an address, unless anything was ever seen for it: a deposit, a payment, a sweep, a
   * sponsor's money, another request; also one that is recorded at the same time. False when it stays. `at`:
   * milliseconds.
   */
  readonly drop: (unpaid: UnpaidAddress, at: number) => Effect.Effect<boolean, StoreUnavailable>
  /** What is kept of an address whose quote was dropped; undefined of every other. */
  readonly dropped: (address: Address) => Effect.Effect<KeptAddress | undefined, StoreUnavailable>
  /** The dropped address that a transaction of ours has swept of this currency under no order. */
  readonly sweptBy: (
    transactionId: TransactionId,
    currency: CurrencyAddress
  ) => Effect.Effect<KeptAddress | undefined, StoreUnavailable>
  /**
   * Those of the transactions by which we have swept a dropped address under no order; in a bounded number of
   * statements.
   */
  readonly sweepsAmong: (
    transactionIds: ReadonlyArray<TransactionId>
  ) => Effect.Effect<ReadonlySet<TransactionId>, StoreUnavailable>
}>()("causeway/ports/UnpaidAddresses") {}
