/**
 * What the newest block of a chain says about this machine's clock (SAFE-7). Quotes are timed by the clock and deposits
 * by their blocks: a clock that is wrong makes prices hold too long, or not at all.
 */
import type { Chain } from "./Chain.ts"

/** Blocks may be this far ahead of a right clock, and heads this late, in seconds. */
const TOLERANCE_SECONDS = 60

/**
 * `behind`: a block is from the future. `ahead`: the newest block is old; then either the clock is ahead or the chain
 * stands still.
 */
export type ClockSkew = "none" | "behind" | "ahead"

/** `now` and `blockTime` in seconds. */
export const clockSkew = (now: number, blockTime: number, { blockTimeMs }: Pick<Chain, "blockTimeMs">): ClockSkew => {
  if (blockTime - now > TOLERANCE_SECONDS) return "behind"
  return now - blockTime > TOLERANCE_SECONDS + (20 * blockTimeMs) / 1000 ? "ahead" : "none"
}
