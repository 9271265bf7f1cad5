/**
 * The current cost of transactions on a chain, in smallest units of its native currency. Chains without gas charge
 * fees, and those are read here too.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import type { PermitKind } from "../../src/domain/permit/Permit.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import type { Payment } from "./PaymentKinds.ts"
import type { PaymentRefused } from "./Treasury.ts"
import { ofChain } from "./Routing.ts"
import type { Routing } from "./Routing.ts"

/**
 * What a payment meets at the recipient's account: what the chain requires when the payment has to open it, and whether
 * it has code.
 */
export interface Opening {
  /** Native currency that the payment takes besides its own cost and leaves with the recipient; smallest units. */
  readonly rent: bigint
  /**
   * What `rent` would be if the account were closed by the time of the payment. Absent where it cannot be closed, and
   * where nothing is left with its owner.
   */
  readonly rentOnceClosed?: bigint
  /**
   * The smallest amount that the payment may deliver, in smallest units of its currency: the chain does not keep an
   * account that holds less, or carries out no smaller transfer.
   */
  readonly least: bigint
  /**
   * Code of the recipient's account that the payment runs: it is there, or none is there yet and some may come before
   * the payment's block, which then costs its gas (REFUND-13). Absent where the payment runs none.
   */
  readonly code?: "possible" | "present"
  /**
   * The recipient can make the payment fail in its block without any code, which then costs its fee (REFUND-16). Absent
   * where it cannot.
   */
  readonly canFail?: true
}

/** For a payment to an account that exists and runs no code, and for chains that open no accounts. */
export const nothingToOpen: Opening = { rent: 0n, least: 0n }

/** What transactions cost now, in smallest units of the chain's native currency. Never less than the real cost. */
export class Gas extends Context.Service<Gas, {
  /**
   * The cost of a payment as the treasury would make it, at the fee expected for the next blocks. The amount matters
   * only where code of strangers runs: every other payment costs the same for any amount.
   */
  readonly ofPayment: (payment: Payment) => Effect.Effect<bigint, ChainUnavailable | PaymentRefused>
  /**
   * The same payment in units of gas or energy, which no fee changes: how much strangers' code takes, with its room
   * (PRICE-26). Asked only of payments that run such code. Zero on chains where none do.
   */
  readonly unitsOf: (payment: Payment) => Effect.Effect<bigint, ChainUnavailable | PaymentRefused>
  /**
   * The most that a payment with calls can cost if it is made now and reverts: its gas limit at the highest fee that it
   * would offer. It is simulated as it would be made, with the same gas, fee and sender, on a block that does not exist
   * yet.
   */
  readonly mostOfCalls: (payment: Payment) => Effect.Effect<bigint, ChainUnavailable | PaymentRefused>
  /** What the payment meets at the recipient's account. It does not depend on the amount. */
  readonly opening: (payment: Payment) => Effect.Effect<Opening, ChainUnavailable>
  /** The cost of sweeping the first deposit of this currency from an address that has received nothing before. */
  readonly ofSweep: (chain: Chain, currency: Currency) => Effect.Effect<bigint, ChainUnavailable>
  /**
   * The cost of submitting a permit of this kind, with `overhead` more gas units. Works before the permit is signed.
   */
  readonly ofPermit: (chain: Chain, kind: PermitKind, overhead: bigint) => Effect.Effect<bigint, ChainUnavailable>
}>()("causeway/ports/Gas") {}

/** The family of each call of this port. */
export const routeGas: Routing<Gas["Service"]> = (to) => ({
  ofPayment: to((it) => it.ofPayment, ([{ chain }]) => chain.family),
  unitsOf: to((it) => it.unitsOf, ([{ chain }]) => chain.family),
  mostOfCalls: to((it) => it.mostOfCalls, ([{ chain }]) => chain.family),
  opening: to((it) => it.opening, ([{ chain }]) => chain.family),
  ofSweep: to((it) => it.ofSweep, ofChain),
  ofPermit: to((it) => it.ofPermit, ofChain)
})
