/** What an operator decided: limits of requests, the spread, how much may be paid out before deposits are final. */
import * as Context from "effect/Context"
import type { ExposureCaps } from "../../../ports/store/orders/Exposures.ts"
import type { Holding } from "../../../ports/chain/PaymentKinds.ts"
import type { Bps } from "../../domain/money/Bps.ts"
import type { Currency } from "../../domain/money/Currency.ts"
import { DEFAULT_FIXED_RATE_MAX_BPS, DEFAULT_SPREAD_BPS } from "../../domain/quote/pricing/PriceRequest.ts"
import { defaultLimits } from "../../domain/quote/request/RequestLimits.ts"
import type { RequestLimits } from "../../domain/quote/request/RequestLimits.ts"

/** Limits of requests; the service's name and the addresses that no call may name are known elsewhere. */
export type PolicyLimits = Omit<RequestLimits, "refusedTargets" | "serviceName">

export class Policy extends Context.Service<Policy, {
  readonly limits: PolicyLimits
  /** What unlike assets from inventory cost beyond the market (RISK_SPREAD_BPS). */
  readonly spreadOf: (from: Currency, to: Currency) => Bps
  /** How far a fixed rate may be from the market when it is quoted (FIXED_RATE_MAX_BPS). */
  readonly fixedRateMaxBps: Bps
  /** Above these a fill waits for the finality of its deposit. */
  readonly exposure: ExposureCaps
  /** What may be given back in 24 hours for which no oracle signs, micro-dollars; zero for nothing. */
  readonly unattestedRefunds: bigint
  /**
   * Up to what sum of those what comes to a deposit address after its quote was dropped goes back, micro-dollars.
   * SECURITY: the hub credits its depositor besides, so that above zero anybody can be paid twice up to this sum in 24
   * hours.
   */
  readonly droppedAddressRefunds: bigint
  /** What gas of permits that revert may cost in 24 hours on each chain, micro-dollars; zero takes none. */
  readonly revertedPermits: bigint
  /**
   * What reverted calls may cost in 24 hours beyond what their deposits bear, micro-dollars; zero takes no calls that a
   * deposit does not cover.
   */
  readonly revertedCalls: bigint
  /** Bytes of txs that are stored in a UTC day: of all callers without a key together, and of each key. */
  readonly calldata: { readonly withoutKey: number; readonly ofKey: number }
  /** How long a fill waits for inventory where its request allows that, seconds (EXTERNAL_LIQUIDITY_SECONDS). */
  readonly externalLiquiditySeconds: number
  /** How many times the first fee per gas of a payment its replacements may offer. */
  readonly feeCeilingFactor: bigint
  /** Smallest units below which operators are told; undefined where nothing is watched. */
  readonly lowWaterOf: (currency: Currency, holding: Holding) => bigint | undefined
  /** True in a local network only: a referrer of "force-refund" has the deposit refunded (STATUS-9). */
  readonly forceRefund: boolean
}>()("causeway/services/Policy") {}

/**
 * What holds unless an operator says otherwise: 250,000 dollars a chain and 50,000 a user before finality, 1,000 a day
 * of refunds that nothing settles, 100 a day and chain of permits that revert, 100 a day of calls; 128 MiB of calldata
 * a day without a key, 512 of each key.
 */
export const defaultPolicy: Policy["Service"] = {
  limits: defaultLimits,
  spreadOf: () => DEFAULT_SPREAD_BPS,
  fixedRateMaxBps: DEFAULT_FIXED_RATE_MAX_BPS,
  exposure: { chain: 250_000_000_000n, user: 50_000_000_000n },
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
