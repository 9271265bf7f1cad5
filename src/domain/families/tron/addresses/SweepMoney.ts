/**
 * What a sweep of a deposit address moves, and the TRX that the address is sent for it (TRON-20, TRON-21). Pure.
 *
 * The address pays for its own transaction, so the solver first sends it what that can cost. What is deposited is what
 * was paid to the address, to the unit. What the transaction did not cost stays, and pays for the address's next
 * sweeps. It never counts as paid to the address (`leftOf`, TRON-26).
 */
import { callCost, energyWithRoom } from "../cost/TronCosts.ts"
import type { TronPrices } from "../cost/TronCosts.ts"

/** More than a deposit of TRX takes, energy and bytes of raw data. */
const NATIVE_DEPOSIT = { energy: 25_000n, rawData: 300 } as const

/**
 * The least TRX of an address that counts as paid to it, sun: what a sweep of TRX costs. Less would not be worth that
 * sweep, and sweeps leave less.
 */
export const leastTrx = (prices: TronPrices): bigint =>
  callCost(prices, energyWithRoom(NATIVE_DEPOSIT.energy), NATIVE_DEPOSIT.rawData)

/** Final sun of an address, as far as they count. */
export const countedTrx = (sun: bigint, prices: TronPrices): bigint => sun < leastTrx(prices) ? 0n : sun

/** What a deposit address holds. */
export interface AddressMoney {
  readonly isNative: boolean
  /** Smallest units of the swept currency in solidified blocks. */
  readonly final: bigint
  /** Sun at the newest block. */
  readonly trx: bigint
  /** Sun of it that earlier sweeps have left (`leftOf`). Zero while that is not certain. */
  readonly left: bigint
}

/**
 * Smallest units that a sweep deposits; zero when there is nothing. `seen`: what was seen as paid when the sweep was
 * queued. Of TRX no more is taken, and nothing that earlier sweeps have left, whatever was seen: an endpoint may have
 * shown too much then (TRON-29).
 */
export const sweptAmount = (
  { final, isNative, left, trx }: AddressMoney,
  seen: bigint | undefined,
  prices: TronPrices
): bigint => {
  if (!isNative) return final
  const counted = countedTrx(final, prices)
  const there = counted < trx ? counted : trx
  const paid = there > left ? there - left : 0n
  return seen !== undefined && seen < paid ? seen : paid
}

/**
 * Sun that the address needs for a transaction that costs at most `need`, besides what earlier sweeps have left. Nothing
 * else there pays for it: that was paid to the address, also what does not count yet, or is not solidified.
 */
export const shortageOf = (
  { isNative, left, trx }: AddressMoney,
  { amount, need }: { readonly amount: bigint; readonly need: bigint }
): bigint => {
  const besides = isNative ? trx - amount : trx
  const usable = left < besides ? left : besides
  return need > usable ? need - usable : 0n
}

/** What a signed sweep has changed of the TRX at its address, beside what it deposited, once no block can change that. */
export interface SettledSweep {
  /** Sun that the solver sent for it, less the fee that the address paid: also below zero. */
  readonly sun: bigint
  /** The block that executed the later one of its transactions. Zero when none was executed. */
  readonly height: bigint
}

/**
 * Sun that an address has left of what it was sent for its sweeps, in a balance of this height. Undefined when the
 * balance may not have all of them. Sweeps of earlier versions used what was paid to the address as well, so that the
 * sum may be below zero: then nothing of the balance is the solver's.
 */
export const leftOf = (sweeps: ReadonlyArray<SettledSweep>, height: bigint): bigint | undefined => {
  if (sweeps.some((each) => each.height > height)) return undefined
  const left = sweeps.reduce((sum, { sun }) => sum + sun, 0n)
  return left > 0n ? left : 0n
}
