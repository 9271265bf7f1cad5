/**
 * A hole is a mistake that is planted into the service on purpose: one that a port or its caller could make. It wraps
 * ports of the service.
 */
import type { Context } from "effect"
import { Effect, Layer } from "effect"
import type { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import type { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { Gas } from "../../../ports/chain/Gas.ts"
import type { Treasury } from "../../../ports/chain/Treasury.ts"
import type { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import type { Losses } from "../../../ports/store/ledger/Losses.ts"
import type { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import type { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import type { Deposits } from "../../../ports/store/orders/Deposits.ts"
import type { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import type { Payments } from "../../../ports/store/orders/Payments.ts"
import type { Sweeps } from "../../../ports/store/orders/Sweeps.ts"

/** The ports that holes wrap. */
type Wrapped =
  | AddressBalances
  | DepositAddresses
  | Deposits
  | DepositWatcher
  | DirectPayments
  | DirectPaymentWatcher
  | Gas
  | Ledger
  | Losses
  | Payments
  | SponsorHolds
  | Sweeps
  | Treasury

/** Its ports come before those of the same name. */
export type Hole = Layer.Layer<never, never, Wrapped>

export const noHole: Hole = Layer.empty

/** Replaces some methods of a port. `change` gets the real ones. */
export const holeIn = <I extends Wrapped, S extends object>(
  port: Context.Key<I, S>,
  change: (real: S) => Partial<S>
): Hole => Layer.effect(port, Effect.map(Effect.service(port), (real): S => ({ ...real, ...change(real) })))

/** A hole, and the run that finds it. */
export interface Planted {
  readonly hole: Hole
  /** As `--faults`, `--adversary` and `--flows`: only what it needs, so that its first seed finds it. */
  readonly faults: string
  readonly adversary?: string
  readonly flows?: string
  readonly seed: number
  /** What the simulation says of it. */
  readonly says: string
}
