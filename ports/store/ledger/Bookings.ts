/** What was received, paid and earned, as it was recorded, and the prices that held when a deposit was answered. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { BookingKind } from "../../../src/domain/ledger/accounting/ProfitAndLoss.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { UsdPrice } from "../../../src/domain/money/Usd.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** The price of a currency when a deposit was answered. */
export interface Valuation {
  readonly chainId: ChainId
  readonly currency: CurrencyAddress
  readonly price: UsdPrice
}

/** An amount that was received, paid, spent or earned. */
export interface RecordedBooking {
  readonly kind: BookingKind
  /** Milliseconds: when a deposit was first seen, a payment signed, a movement of the ledger posted. */
  readonly at: number
  readonly chainId: ChainId
  /** Undefined for the chain's native one, in which gas is paid. */
  readonly currency: CurrencyAddress | undefined
  /** Smallest units. */
  readonly units: bigint
  /** The deposit at whose prices it counts; undefined when it belongs to none. */
  readonly deposit: Hex32 | undefined
}

export class Bookings extends Context.Service<Bookings, {
  /** Keeps the first prices of a deposit. */
  readonly value: (deposit: Hex32, at: ReadonlyArray<Valuation>) => Effect.Effect<void, StoreUnavailable>
  /** From a time on, up to another, exclusively; milliseconds. */
  readonly between: (from: number, to: number) => Effect.Effect<ReadonlyArray<RecordedBooking>, StoreUnavailable>
  /** Prices of the deposits that those bookings belong to, by deposit. */
  readonly valuations: (
    from: number,
    to: number
  ) => Effect.Effect<ReadonlyMap<Hex32, ReadonlyArray<Valuation>>, StoreUnavailable>
}>()("causeway/ports/Bookings") {}
