/**
 * Recorded amounts that were received, paid and earned, and the prices at the time each deposit was filled or refunded.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { BookingKind } from "../../../src/domain/ledger/accounting/ProfitAndLoss.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { UsdPrice } from "../../../src/domain/money/Usd.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** The price of a currency when a deposit was filled or refunded. */
export interface Valuation {
  readonly chainId: ChainId
  readonly currency: CurrencyAddress
  readonly price: UsdPrice
}

/** An amount that was received, paid, spent or earned. */
export interface RecordedBooking {
  readonly kind: BookingKind
  /** Milliseconds: when a deposit was first seen, a payment was signed, or a ledger movement was posted. */
  readonly at: number
  readonly chainId: ChainId
  /** Undefined for the chain's native currency, in which gas is paid. */
  readonly currency: CurrencyAddress | undefined
  /** Smallest units. */
  readonly units: bigint
  /** The deposit whose prices apply; undefined when it belongs to no deposit. */
  readonly deposit: Hex32 | undefined
}

/** Amounts that were received, paid and earned, in smallest units, and prices by deposit. Times are in milliseconds. */
export class Bookings extends Context.Service<Bookings, {
  /** Stores the prices of a deposit; the first prices stay. */
  readonly value: (deposit: Hex32, at: ReadonlyArray<Valuation>) => Effect.Effect<void, StoreUnavailable>
  /** From a time, included, to another, excluded; milliseconds. */
  readonly between: (from: number, to: number) => Effect.Effect<ReadonlyArray<RecordedBooking>, StoreUnavailable>
  /** Prices of the deposits that these bookings belong to, by deposit. */
  readonly valuations: (
    from: number,
    to: number
  ) => Effect.Effect<ReadonlyMap<Hex32, ReadonlyArray<Valuation>>, StoreUnavailable>
}>()("causeway/ports/Bookings") {}
