/**
 * How far below its deposit an order allows a refund on its origin to be. It covers the gas of the refund when it is
 * due, and the cost of the deposit before it: a permit's submission, or the sweep of a deposit address. A refund bears
 * that cost as a fill does. Of an order whose fill runs strangers' code it also covers one reverted fill (REFUND-11).
 * Where the refund's recipient can close its account until then, it covers opening that (REFUND-12).
 */
import { convertCeil } from "../../money/Currency.ts"
import type { PricedCurrency } from "../../money/Currency.ts"

/** Gas may rise to this many times its current cost. */
const FACTOR = 3n

/** The prices and gas that bound a refund's costs. */
export interface RefundMarket {
  readonly origin: PricedCurrency
  readonly originNative: PricedCurrency
  /** Smallest units of the origin's native currency, as is `sweepGas`. */
  readonly refundGas: bigint
  /** What opening the account that the refund finds open now would take besides. */
  readonly refundReopening?: bigint | undefined
  /** Undefined when the user sends the deposit. */
  readonly originGas?: { readonly units: bigint } | undefined
  /** Undefined without a sweep. */
  readonly sweepGas?: { readonly units: bigint } | undefined
}

/** Smallest units of the origin currency, rounded up. */
export const originRefundBound = (
  { origin, originGas, originNative, refundGas, refundReopening = 0n, sweepGas }: RefundMarket
): bigint =>
  convertCeil(
    (refundGas + (originGas?.units ?? 0n) + (sweepGas?.units ?? 0n)) * FACTOR + refundReopening,
    originNative,
    origin
  )

/**
 * One fill with calls at its gas limit and highest fee, smallest units of the origin currency, rounded up. `most`: of
 * the destination's native currency.
 */
export const revertedFillBound = (most: bigint, native: PricedCurrency, origin: PricedCurrency): bigint =>
  convertCeil(most, native, origin)

/**
 * One fill that runs its recipient's code, smallest units of the origin currency, rounded up. `fillGas`: of the
 * destination's native currency, with its margin above the trial. The highest fee that a fill offers is less than twice
 * the expected one; the rest is room for fees that rise between quote and fill, so that the deposit covers it then too.
 */
export const revertedPlainBound = (fillGas: bigint, native: PricedCurrency, origin: PricedCurrency): bigint =>
  convertCeil(fillGas * FACTOR, native, origin)

/** Of a refund on the destination, where nothing is swept: smallest units of the destination currency, rounded up. */
export const destinationRefundBound = (fillGas: bigint, native: PricedCurrency, currency: PricedCurrency): bigint =>
  convertCeil(fillGas * FACTOR, native, currency)
