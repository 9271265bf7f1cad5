/**
 * Compares this machine's clock with a chain's newest block (SAFE-7). Quotes are timed by the clock and deposits by
 * their blocks, so with a wrong clock prices hold too long or not at all.
 */
import type { Chain } from "./Chain.ts"

/** How far blocks may be ahead of a correct clock, and how late heads may be, in seconds. */
const TOLERANCE_SECONDS = 60

/**
 * `behind`: a block has a time in the future. `ahead`: the newest block is old, so either the clock is ahead or the
 * chain has stopped.
 */
export type ClockSkew = "none" | "behind" | "ahead"

/** `now` and `blockTime` in seconds. */
export const clockSkew = (now: number, blockTime: number, { blockTimeMs }: Pick<Chain, "blockTimeMs">): ClockSkew => {
  if (blockTime - now > TOLERANCE_SECONDS) return "behind"
  return now - blockTime > TOLERANCE_SECONDS + (20 * blockTimeMs) / 1000 ? "ahead" : "none"
}
