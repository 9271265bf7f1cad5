/**
 * When a payment that is in no block is replaced by one at a higher fee, and at which (SAFE-5; EIP-1559).
 *
 * A replacement has the sequence, recipient, value and data of what it replaces, so that at most one of them is ever
 * carried out: this rule says nothing but what it offers per gas. Total and pure; `Exhausted` is for an alarm, not an
 * end: the payment stays out, and what is out may still be taken.
 */

/** What a transaction offers per gas, smallest units of the native currency; the tip is never above the whole. */
export interface FeeBid {
  readonly maxFeePerGas: bigint
  readonly tipPerGas: bigint
}

/** What a chain asks now. */
export interface FeeMarket {
  /** Of the newest block. */
  readonly baseFeePerGas: bigint
  readonly tipPerGas: bigint
  /** Milliseconds: the newest block's own time. */
  readonly headTime: number
  /** The paying account's next sequence as of the newest block. */
  readonly nextSequence: bigint
}

/** A payment that is in no block. */
export interface WaitingPayment {
  readonly sequence: bigint
  /** Of every variant that was signed, the first first. */
  readonly bids: readonly [FeeBid, ...ReadonlyArray<FeeBid>]
  /** Milliseconds: when the newest was signed, or the payment was last seen in a block. */
  readonly since: number
}

/** How long bids are left standing, and how far they may rise. */
export interface ReplacementBounds {
  /** How long a bid below the base fee is left standing: it cannot be taken as it is. Milliseconds. */
  readonly pricedOutMs: number
  /** How long any bid is left standing. Milliseconds. */
  readonly stuckMs: number
  /** Fees per gas may rise to this many times the first bid. */
  readonly ceilingFactor: bigint
}

/** What the rule says of a payment now. */
export type Replacement =
  | { readonly _tag: "Wait" }
  | { readonly _tag: "Replace"; readonly bid: FeeBid }
  /** It should be replaced, and the ceiling does not allow it. */
  | { readonly _tag: "Exhausted" }

/** Two blocks for what is priced out, ten for what is stuck, and no less than blocks take to travel. */
export const replacementBounds = (blockTimeMs: number, ceilingFactor: bigint): ReplacementBounds => ({
  pricedOutMs: Math.max(2_000, 2 * blockTimeMs),
  stuckMs: Math.max(10_000, 10 * blockTimeMs),
  ceilingFactor
})

/** The least that nodes take for a replacement: 12.5 % more, and more in any case. */
const bumped = (fee: bigint): bigint => (fee * 9n) / 8n + 1n

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)
const min = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** True when it is worth asking what the chain takes now. */
export const mayNeedReplacement = (
  { since }: Pick<WaitingPayment, "since">,
  bounds: ReplacementBounds,
  now: number
): boolean => now - since >= Math.min(bounds.pricedOutMs, bounds.stuckMs)

const nextBid = (newest: FeeBid, { baseFeePerGas, tipPerGas }: FeeMarket, ceiling: bigint): Replacement => {
  const leastTip = bumped(newest.tipPerGas)
  const tip = max(leastTip, tipPerGas)
  const wanted = max(bumped(newest.maxFeePerGas), baseFeePerGas * 2n + tip)
  const maxFeePerGas = min(wanted, ceiling)
  const bid = { maxFeePerGas, tipPerGas: min(tip, maxFeePerGas) }
  const isTaken = maxFeePerGas >= bumped(newest.maxFeePerGas) && bid.tipPerGas >= leastTip &&
    maxFeePerGas >= baseFeePerGas
  return isTaken ? { _tag: "Replace", bid } : { _tag: "Exhausted" }
}

/**
 * What to do with a payment that is in no block. Time passes for it only as the chain's own time does: on a chain that
 * stands still nothing is stuck. One that is not the account's next waits for those before it.
 */
export const judgeReplacement = (
  payment: WaitingPayment,
  market: FeeMarket,
  bounds: ReplacementBounds,
  now: number
): Replacement => {
  const { bids, sequence, since } = payment
  const [first] = bids
  const newest = bids[bids.length - 1] ?? first
  if (sequence !== market.nextSequence) return { _tag: "Wait" }
  const age = Math.min(now, market.headTime) - since
  const isPricedOut = newest.maxFeePerGas < market.baseFeePerGas && age >= bounds.pricedOutMs
  if (!isPricedOut && age < bounds.stuckMs) return { _tag: "Wait" }
  return nextBid(newest, market, first.maxFeePerGas * bounds.ceilingFactor)
}
