/** The operator's decisions: limits of requests, the spread, and how much may be paid out before deposits are final. */
import * as Context from "effect/Context"
import type { ExposureCaps } from "../../../ports/store/orders/Exposures.ts"
import type { Holding } from "../../../ports/chain/PaymentKinds.ts"
import type { Bps } from "../../domain/money/Bps.ts"
import type { Currency } from "../../domain/money/Currency.ts"
import { DEFAULT_FIXED_RATE_MAX_BPS, DEFAULT_SPREAD_BPS } from "../../domain/quote/pricing/PriceRequest.ts"
import { defaultLimits } from "../../domain/quote/request/RequestLimits.ts"
import type { RequestLimits } from "../../domain/quote/request/RequestLimits.ts"

/** Limits of requests, without the service's name and the addresses that no call may name. */
export type PolicyLimits = Omit<RequestLimits, "refusedTargets" | "serviceName">

/** What an operator allows: caps in dollars, times in seconds, and margins. */
export class Policy extends Context.Service<Policy, {
  readonly limits: PolicyLimits
  /** The surcharge above the market for unlike assets from inventory (RISK_SPREAD_BPS). */
  readonly spreadOf: (from: Currency, to: Currency) => Bps
  /** How far a fixed rate may be from the market when it is quoted (FIXED_RATE_MAX_BPS). */
  readonly fixedRateMaxBps: Bps
  /** Above these caps a fill waits for the finality of its deposit. */
  readonly exposure: ExposureCaps
  /**
   * Deposits worth at least this are filled only when a quorum of their chain's endpoints shows them, micro-dollars
   * (QUORUM-5).
   */
  readonly quorumFrom: bigint
  /** The most unattested refunds in 24 hours, micro-dollars. Zero allows none. */
  readonly unattestedRefunds: bigint
  /**
   * The part of that sum that may refund late deposits at dropped deposit addresses, micro-dollars. SECURITY: the hub
   * credits the depositor as well, so above zero anybody can be paid twice up to this sum in 24 hours.
   */
  readonly droppedAddressRefunds: bigint
  /**
   * The most that reverting permits may cost in gas in 24 hours on each chain, micro-dollars. Zero accepts no permits.
   */
  readonly revertedPermits: bigint
  /**
   * The most that fills whose calls, or recipient's code, revert may cost in 24 hours beyond what their deposits cover,
   * micro-dollars. Zero accepts only those that the deposit covers.
   */
  readonly revertedCalls: bigint
  /** Bytes of txs that are stored per UTC day: for all callers without a key together, and for each key. */
  readonly calldata: { readonly withoutKey: number; readonly ofKey: number }
  /** How long a fill waits for inventory when its request allows it, seconds (EXTERNAL_LIQUIDITY_SECONDS). */
  readonly externalLiquiditySeconds: number
  /** The highest fee per gas of a replacement, as a multiple of the payment's first. */
  readonly feeCeilingFactor: bigint
  /** Smallest units below which operators are alerted. Undefined without a mark. */
  readonly lowWaterOf: (currency: Currency, holding: Holding) => bigint | undefined
  /** True in a local network only: a referrer of "force-refund" has the deposit refunded (STATUS-9). */
  readonly forceRefund: boolean
}>()("causeway/services/Policy") {}

/**
 * The defaults: before finality 250,000 dollars per chain and 50,000 per user; the quorum from 1,000; per day 1,000
 * dollars of unattested refunds, 100 of reverting permits per chain, 100 of reverted calls; per day 128 MiB of calldata
 * without a key and 512 MiB per key.
 */
export const defaultPolicy: Policy["Service"] = {
  limits: defaultLimits,
  spreadOf: () => DEFAULT_SPREAD_BPS,
  fixedRateMaxBps: DEFAULT_FIXED_RATE_MAX_BPS,
  exposure: { chain: 250_000_000_000n, user: 50_000_000_000n },
  quorumFrom: 1_000_000_000n,
  unattestedRefunds: 1_000_000_000n,
  droppedAddressRefunds: 0n,
  revertedPermits: 100_000_000n,
  revertedCalls: 100_000_000n,
  calldata: { withoutKey: 128 * 1024 * 1024, ofKey: 512 * 1024 * 1024 },
  externalLiquiditySeconds: 3_600,
  feeCeilingFactor: 10n,
  lowWaterOf: () => undefined,
  forceRefund: false
}
