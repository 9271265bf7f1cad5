/** What acting on a chain costs now, in smallest units of its native currency. Chains that count no gas have fees, and are asked here too. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Chain } from "../src/domain/chain/Chain.ts"
import type { Currency } from "../src/domain/money/Currency.ts"
import type { PermitKind } from "../src/domain/permit/Permit.ts"
import type { ChainUnavailable } from "./ChainUnavailable.ts"
import type { Payment, PaymentRefused } from "./Treasury.ts"

export class Gas extends Context.Service<Gas, {
  /**
   * The cost of a payment as the treasury would make it, at the fee that the next blocks are expected to take. The amount
   * matters to calls only: a plain payment costs the same whatever it pays.
   */
  readonly ofPayment: (payment: Payment) => Effect.Effect<bigint, ChainUnavailable | PaymentRefused>
  /**
   * What the payment takes of the native currency beside its own cost and leaves with the recipient: a chain may ask for a deposit
   * on an account that has to be opened. Zero where there is nothing of the kind.
   */
  readonly rentOf: (payment: Payment) => Effect.Effect<bigint, ChainUnavailable>
  /** The cost of sweeping a first deposit of the currency from an address that nothing has come to yet. */
  readonly ofSweep: (chain: Chain, currency: Currency) => Effect.Effect<bigint, ChainUnavailable>
  /** The cost of submitting a permit of the kind, before anybody has signed it, with `overhead` gas units more. */
  readonly ofPermit: (chain: Chain, kind: PermitKind, overhead: bigint) => Effect.Effect<bigint, ChainUnavailable>
}>()("causeway/ports/Gas") {}
