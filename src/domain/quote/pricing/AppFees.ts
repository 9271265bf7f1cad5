/**
 * App fees of a request: which recipient gets how many basis points of the input (REQUEST-28, appFees).
 *
 * Guarantee: the shares add up to the app component, ⌊amountIn × Σ bps / 10000⌋. Not for who pays it: app fees go to
 * their own recipients whether user or sponsor pays.
 */
import type { Address } from "../../chain/Address.ts"
import { Bps, bpsFloor } from "../../money/Bps.ts"
import { divFloor } from "../../money/Rounding.ts"

/** A recipient's share of the input. */
export interface AppFee {
  /** An EVM account. */
  readonly recipient: Address
  readonly bps: Bps
}

/** What a recipient gets. */
export interface AppFeeShare {
  readonly recipient: Address
  /** Smallest units of the origin currency. */
  readonly units: bigint
}

/** The most that all app fees of a request may add up to, default (MAX_APP_FEE_BPS). */
export const DEFAULT_MAX_APP_FEE_BPS = Bps(1_000n)

/** The sum of the shares. */
export const totalAppBps = (fees: ReadonlyArray<AppFee>): Bps => Bps(fees.reduce((sum, { bps }) => sum + bps, 0n))

/** ⌊amountIn × bps / 10000⌋ for each recipient; the rounding remainder goes to the first. */
export const shareAppFees = (amountIn: bigint, fees: ReadonlyArray<AppFee>): ReadonlyArray<AppFeeShare> => {
  const floors = fees.map(({ bps }) => bpsFloor(amountIn, bps))
  const left = bpsFloor(amountIn, totalAppBps(fees)) - floors.reduce((sum, units) => sum + units, 0n)
  return fees.map(({ recipient }, index) => ({ recipient, units: (floors[index] ?? 0n) + (index === 0 ? left : 0n) }))
}

/** A sum divided by the basis points of the fees, rounded down; the rounding remainder goes to the first. */
export const shareUnits = (
  units: bigint,
  fees: ReadonlyArray<{ readonly recipient: Address; readonly bps: bigint }>
): ReadonlyArray<AppFeeShare> => {
  const whole = fees.reduce((sum, { bps }) => sum + bps, 0n)
  if (whole === 0n) return fees.map(({ recipient }) => ({ recipient, units: 0n }))
  const floors = fees.map(({ bps }) => divFloor(units * bps, whole))
  const left = units - floors.reduce((sum, share) => sum + share, 0n)
  return fees.map(({ recipient }, index) => ({ recipient, units: (floors[index] ?? 0n) + (index === 0 ? left : 0n) }))
}
