/**
 * What acting on a chain costs now, in smallest units of its native currency. Chains that count no gas have fees, and
 * are asked here too.
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
 * What a chain may ask for where a payment goes to an account that is not there yet: nothing of the kind is
 * `nothingToOpen`.
 */
export interface Opening {
  /**
   * What the payment takes of the native currency beside its own cost, and leaves with the recipient; smallest units.
   */
  readonly rent: bigint
  /** The least that the payment may bring, smallest units of its currency: of less the chain keeps no account. */
  readonly least: bigint
}

/** Of a payment to an account that is there, and on chains that open none. */
export const nothingToOpen: Opening = { rent: 0n, least: 0n }

export class Gas extends Context.Service<Gas, {
  /**
   * The cost of a payment as the treasury would make it, at the fee that the next blocks are expected to take. The
   * amount matters to calls only: a plain payment costs the same whatever it pays.
   */
  readonly ofPayment: (payment: Payment) => Effect.Effect<bigint, ChainUnavailable | PaymentRefused>
  /**
   * The most that a payment with calls can cost when it is made now, and reverts: its gas limit at the highest fee that
   * it would offer. It is tried as it would be made, with that gas, that fee and that sender, on a block that is not
   * there yet.
   */
  readonly mostOfCalls: (payment: Payment) => Effect.Effect<bigint, ChainUnavailable | PaymentRefused>
  /** What the recipient's account asks for where the payment has to open it; the amount makes no difference. */
  readonly opening: (payment: Payment) => Effect.Effect<Opening, ChainUnavailable>
  /** The cost of sweeping a first deposit of the currency from an address that nothing has come to yet. */
  readonly ofSweep: (chain: Chain, currency: Currency) => Effect.Effect<bigint, ChainUnavailable>
  /** The cost of submitting a permit of the kind, before anybody has signed it, with `overhead` gas units more. */
  readonly ofPermit: (chain: Chain, kind: PermitKind, overhead: bigint) => Effect.Effect<bigint, ChainUnavailable>
}>()("causeway/ports/Gas") {}

export const routeGas: Routing<Gas["Service"]> = (to) => ({
  ofPayment: to((it) => it.ofPayment, ([{ chain }]) => chain.family),
  mostOfCalls: to((it) => it.mostOfCalls, ([{ chain }]) => chain.family),
  opening: to((it) => it.opening, ([{ chain }]) => chain.family),
  ofSweep: to((it) => it.ofSweep, ofChain),
  ofPermit: to((it) => it.ofPermit, ofChain)
})
