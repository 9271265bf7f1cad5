/**
 * What a sweep of a deposit address moves, and the TRX that the address is sent for it (TRON-20, TRON-21). Pure.
 *
 * The address pays for its own transaction, so the solver first sends it what that can cost. What is deposited is what
 * was paid to the address, to the unit. What the transaction did not cost stays, and pays for the address's next sweep
 * of a token. With the next TRX that is paid to the address, it is deposited.
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
}

/**
 * Smallest units that a sweep deposits; zero when there is nothing. `seen`: the balance for which the sweep was made.
 * Of TRX no more is taken: the rest may be what the solver has sent for an earlier attempt.
 */
export const sweptAmount = (
  { final, isNative, trx }: AddressMoney,
  seen: bigint | undefined,
  prices: TronPrices
): bigint => {
  if (!isNative) return final
  const counted = countedTrx(final, prices)
  return [counted, trx, seen ?? counted].reduce((least, each) => each < least ? each : least)
}

/**
 * Sun that the address needs besides what it has for a transaction that costs at most `need`. TRX that count as paid to
 * the address are not used for a token's sweep.
 */
export const shortageOf = (
  { isNative, trx }: AddressMoney,
  { amount, need }: { readonly amount: bigint; readonly need: bigint },
  prices: TronPrices
): bigint => {
  const usable = isNative ? trx - amount : trx - countedTrx(trx, prices)
  return need > usable ? need - usable : 0n
}
