/**
 * Which coins of a deposit address one sweep takes, what it deposits, and what it costs (BITCOIN-12). Pure.
 *
 * SECURITY: anybody can send any number of small outputs to an address. A sweep takes a bounded number of coins, the
 * largest first, and beside the largest only those worth twice what their own input costs: so dust neither makes a sweep
 * too large for a node nor costs more than it brings. What is left stays at the address for a later sweep.
 *
 * A quote contains the sweep of one coin. Each further coin pays its own input, out of what it brings: otherwise whoever
 * pays in a hundred outputs would have the solver pay for a hundred inputs, with every deposit. What an output adds is
 * still at least half of what it holds, so nobody is worse off for what strangers send.
 */
import type { BtcOutput } from "../evidence/BtcTransaction.ts"
import { feeOf } from "../spending/FeeRate.ts"
import type { FeeRate } from "../spending/FeeRate.ts"
import { largestFirst } from "../spending/FundOutputs.ts"
import type { Coin } from "../spending/FundOutputs.ts"
import { virtualBytesOf, weightOf } from "../spending/TransactionSize.ts"

/** A sweep of so many coins has 7,000 virtual bytes: a fourteenth of what nodes relay. */
export const MOST_SWEPT = 100

const KIND = "P2WPKH" as const

const INPUT_BYTES = virtualBytesOf(weightOf([KIND, KIND], []) - weightOf([KIND], []))

/** The largest is always among them, so that an address with money never counts as empty, whatever fees are. */
export const sweptCoins = <C extends Coin>(coins: ReadonlyArray<C>, rate: FeeRate): ReadonlyArray<C> => {
  const least = 2n * feeOf(rate, INPUT_BYTES)
  return coins.toSorted(largestFirst).slice(0, MOST_SWEPT).filter(({ amount }, at) => at === 0 || amount >= least)
}

/** Satoshi: all that the largest coin holds, and of each other one what its own input leaves. */
export const sweptAmount = (coins: ReadonlyArray<Pick<Coin, "amount">>, rate: FeeRate): bigint =>
  coins.reduce((sum, { amount }) => sum + amount, 0n) - feeOf(rate, INPUT_BYTES * Math.max(0, coins.length - 1))

/** Satoshi. With one coin of the account that pays, and its change. */
export const sweepFee = (
  rate: FeeRate,
  coins: number,
  outputs: ReadonlyArray<BtcOutput>,
  change: Uint8Array
): bigint => {
  const inputs = Array.from({ length: coins + 1 }, () => KIND)
  return feeOf(rate, virtualBytesOf(weightOf(inputs, [...outputs.map(({ script }) => script), change])))
}
