/**
 * When a payment that is in no block is replaced by one at a higher fee, and at which fee (SAFE-5; EIP-1559).
 *
 * A replacement has the sequence, recipient, value and data of the payment that it replaces, so at most one of them is
 * ever executed. This rule decides only the fee per gas. Total and pure. `Exhausted` raises an alarm but ends nothing:
 * the payment remains broadcast and may still be mined.
 */

/**
 * The fee that a transaction offers per gas, smallest units of the native currency; the tip is never above the whole
 * fee.
 */
export interface FeeBid {
  readonly maxFeePerGas: bigint
  readonly tipPerGas: bigint
}

/** The fees that a chain currently asks. */
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
  /** The bid of every signed variant, oldest first. */
  readonly bids: readonly [FeeBid, ...ReadonlyArray<FeeBid>]
  /** Milliseconds: when the newest variant was signed, or when the payment was last seen in a block. */
  readonly since: number
}

/** How long a bid is kept before it is replaced, and how far bids may rise. */
export interface ReplacementBounds {
  /** How long a bid below the base fee, which cannot be mined as it is, is kept before it is replaced. Milliseconds. */
  readonly pricedOutMs: number
  /** How long any bid is kept before it is replaced. Milliseconds. */
  readonly stuckMs: number
  /** Fees per gas may rise to this many times the first bid. */
  readonly ceilingFactor: bigint
}

/** The rule's decision for a payment now. */
export type Replacement =
  | { readonly _tag: "Wait" }
  | { readonly _tag: "Replace"; readonly bid: FeeBid }
  /** It should be replaced, but the fee ceiling does not allow it. */
  | { readonly _tag: "Exhausted" }

/**
 * Two blocks for a bid that is priced out, ten for a stuck one, and no less than the time that blocks take to
 * propagate.
 */
export const replacementBounds = (blockTimeMs: number, ceilingFactor: bigint): ReplacementBounds => ({
  pricedOutMs: Math.max(2_000, 2 * blockTimeMs),
  stuckMs: Math.max(10_000, 10 * blockTimeMs),
  ceilingFactor
})

/** The smallest increase that nodes accept for a replacement: 12.5 %, and always at least one unit. */
const bumped = (fee: bigint): bigint => (fee * 9n) / 8n + 1n

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)
const min = (one: bigint, other: bigint): bigint => (one < other ? one : other)

/** True when it is worth asking for the chain's current fees. */
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
 * What to do with a payment that is in no block. Its time is measured by the chain's own time: on a stalled chain
 * nothing counts as stuck. A payment that is not the account's next one waits for those before it.
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
