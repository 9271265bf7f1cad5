/**
 * A sponsor's money for one request: held when its deposit is seen, captured once the fill is final, released when
 * there is none (SPONSOR-12). One hold a request, whatever deposits ask for it: the sponsor pays once or not at all.
 *
 * Every method is one transaction over hold, budget and ledger, and may be repeated without harm.
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
 * An open deposit address that the money is held for. `quote`: for who may have the sponsorship that the address was
 * quoted with, which one request has at a time, and none once it was settled with it; if another has it, for a later
 * deposit. `later`: for that. Later deposits together draw at most the key's budget for the address and day.
 */
export interface AtAddress {
  readonly address: Address
  readonly as: "quote" | "later"
  /** What counts against the budget of later deposits: with the app fees that the sponsor takes over. */
  readonly worth: MicroUsdc
}

/** What is to be held, and for whom. */
export interface SponsorHold {
  readonly request: RequestId
  /** The sighting of a deposit that wants it: a hold is given back when the last one that wanted it gives up. */
  readonly claimant: string
  readonly key: ApiKeyId
  readonly wallet: Address
  readonly recipient: Address
  readonly currency: LedgerCurrency
  /** The most that can be drawn, above zero. */
  readonly units: MicroUsdc
  /** Undefined where the deposit does not come from an open deposit address. */
  readonly at?: AtAddress | undefined
}

/**
 * `settled`: the request was paid for already, and nothing is held again. Refused: the balance or a budget is spent, or
 * the key may no longer spend the wallet's balance.
 */
export type HoldOutcome = "held" | "settled" | "balance-too-low" | "budget-spent" | "not-linked"

/** How a request's sponsorship ends when its fill is final. */
export interface Settlement {
  readonly request: RequestId
  readonly currency: LedgerCurrency
  readonly wallet: Address
  readonly charge: Charge
  /** What the fill cost, smallest units of its native currency. */
  readonly gasPaid: bigint
  /** What it left with an account that it opened, of the same; undefined where no chain told. */
  readonly rentPaid?: bigint | undefined
  /** What the sponsor pays, at most what is held: the rest goes back. */
  readonly captured: MicroUsdc
  /** App fees that the sponsor owes their recipients from now on: promised, and nobody's money yet. */
  readonly owed: ReadonlyArray<{ readonly recipient: Address; readonly units: MicroUsdc }>
}

/** A request that was quoted with a sponsor, whose money is not held yet. */
export interface AwaitedHold {
  readonly request: RequestId
  readonly sponsorship: Agreement
}

/** A request's sponsorship as it ended. */
export interface Settled {
  readonly charge: Charge
  readonly gasPaid: bigint
  readonly rentPaid: bigint | undefined
  readonly captured: MicroUsdc
}

export class SponsorHolds extends Context.Service<SponsorHolds, {
  readonly hold: (hold: SponsorHold, at: number) => Effect.Effect<HoldOutcome, StoreUnavailable>
  /** One claimant gives up; milliseconds. */
  readonly release: (request: RequestId, claimant: string, at: number) => Effect.Effect<void, StoreUnavailable>
  /** Notes who pays what when `amountOut` is delivered, before it can be: the first word for an amount is the last. */
  readonly noteCharge: (request: RequestId, amountOut: bigint, charge: Charge) => Effect.Effect<void, StoreUnavailable>
  /** What was noted for an amount. */
  readonly chargeOf: (request: RequestId, amountOut: bigint) => Effect.Effect<Charge | undefined, StoreUnavailable>
  /** What was captured: less than asked for only when less is held. Milliseconds. */
  readonly settle: (settlement: Settlement, at: number) => Effect.Effect<MicroUsdc, StoreUnavailable>
  /** The request that has the sponsorship of an open deposit address; undefined while none has. */
  readonly atAddress: (address: Address) => Effect.Effect<RequestId | undefined, StoreUnavailable>
  /**
   * Requests for an address since `since`, milliseconds, that have not ended and were quoted with a sponsor whose money
   * is not held: of the newest fifty requests of the address.
   */
  readonly awaited: (address: Address, since: number) => Effect.Effect<ReadonlyArray<AwaitedHold>, StoreUnavailable>
  /** Undefined until it is settled. */
  readonly settled: (request: RequestId) => Effect.Effect<Settled | undefined, StoreUnavailable>
}>()("causeway/ports/SponsorHolds") {}
