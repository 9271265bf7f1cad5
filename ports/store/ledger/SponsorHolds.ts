/**
 * A sponsor's money for one request: held when its deposit is seen, captured once the fill is final, released when
 * there is no fill (SPONSOR-12). A request has one hold, no matter how many deposits claim it: the sponsor pays once or
 * not at all.
 *
 * Every method is one transaction over hold, budget and ledger, and is safe to repeat.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import type { LedgerCurrency } from "../../../src/domain/ledger/Transaction.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Agreement } from "../../../src/domain/sponsorship/Agreement.ts"
import type { Charge } from "../../../src/domain/sponsorship/Charge.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/**
 * The open deposit address that a hold is for. `quote` asks for the sponsorship that the address was quoted with. One
 * request has it at a time, and no other request gets it once a request was settled with it; if another request has it,
 * the hold is placed as for a later deposit. `later` asks for a later deposit's hold. Later deposits together draw at
 * most the key's budget for the address and day.
 */
export interface AtAddress {
  readonly address: Address
  readonly as: "quote" | "later"
  /** What counts against the budget of later deposits, including the app fees that the sponsor takes over. */
  readonly worth: MicroUsdc
}

/** The money to hold, and the request that it is for. */
export interface SponsorHold {
  readonly request: RequestId
  /** The sighting of a deposit that claims the hold. The hold is released when its last claimant gives up. */
  readonly claimant: string
  readonly key: ApiKeyId
  readonly wallet: Address
  readonly recipient: Address
  readonly currency: LedgerCurrency
  /** The most that can be drawn, above zero. */
  readonly units: MicroUsdc
  /** Undefined when the deposit does not come from an open deposit address. */
  readonly at?: AtAddress | undefined
}

/**
 * `settled`: the request's sponsorship is complete, and nothing is held again. The last three are refusals: the balance
 * is too low, a budget is spent, or the key may no longer spend the wallet's balance.
 */
export type HoldOutcome = "held" | "settled" | "balance-too-low" | "budget-spent" | "not-linked"

/** How a request's sponsorship is completed when its fill is final. */
export interface Settlement {
  readonly request: RequestId
  readonly currency: LedgerCurrency
  readonly wallet: Address
  readonly charge: Charge
  /** The gas cost of the fill, smallest units of its chain's native currency. */
  readonly gasPaid: bigint
  /**
   * What the fill left with an account that it opened, in the same units; undefined when the chain did not report it.
   */
  readonly rentPaid?: bigint | undefined
  /** What the sponsor pays, at most the amount held. The rest is released. */
  readonly captured: MicroUsdc
  /** App fees that the sponsor owes to their recipients from now on. No account holds money for them yet. */
  readonly owed: ReadonlyArray<{ readonly recipient: Address; readonly units: MicroUsdc }>
}

/** A request that was quoted with a sponsor, whose money is not held yet. */
export interface AwaitedHold {
  readonly request: RequestId
  readonly sponsorship: Agreement
}

/** The final charge of a request's sponsorship. */
export interface Settled {
  readonly charge: Charge
  readonly gasPaid: bigint
  readonly rentPaid: bigint | undefined
  readonly captured: MicroUsdc
}

/** Holds of a sponsor's money: placed, captured or released once for each request. */
export class SponsorHolds extends Context.Service<SponsorHolds, {
  readonly hold: (hold: SponsorHold, at: number) => Effect.Effect<HoldOutcome, StoreUnavailable>
  /** Gives up one claimant's claim; time in milliseconds. */
  readonly release: (request: RequestId, claimant: string, at: number) => Effect.Effect<void, StoreUnavailable>
  /**
   * Records which party pays what if `amountOut` is delivered, before it can be delivered. The first record for an
   * amount stays.
   */
  readonly noteCharge: (request: RequestId, amountOut: bigint, charge: Charge) => Effect.Effect<void, StoreUnavailable>
  /** The charge recorded for an amount; undefined when there is none. */
  readonly chargeOf: (request: RequestId, amountOut: bigint) => Effect.Effect<Charge | undefined, StoreUnavailable>
  /** Returns what was captured, which is less than asked for only when less is held. Time in milliseconds. */
  readonly settle: (settlement: Settlement, at: number) => Effect.Effect<MicroUsdc, StoreUnavailable>
  /** The request that has the sponsorship of an open deposit address; undefined while none has. */
  readonly atAddress: (address: Address) => Effect.Effect<RequestId | undefined, StoreUnavailable>
  /**
   * Requests for an address since `since` (milliseconds) that have not ended, were quoted with a sponsor, and have no
   * hold yet. Only the newest fifty requests of the address are examined.
   */
  readonly awaited: (address: Address, since: number) => Effect.Effect<ReadonlyArray<AwaitedHold>, StoreUnavailable>
  /** Undefined until the request's sponsorship is complete. */
  readonly settled: (request: RequestId) => Effect.Effect<Settled | undefined, StoreUnavailable>
}>()("causeway/ports/SponsorHolds") {}
