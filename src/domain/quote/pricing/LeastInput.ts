/**
 * The smallest number for which a monotone condition holds, searched from a guess.
 *
 * A good guess costs two evaluations, a bad one the logarithm of its distance. Not for conditions that are not
 * monotone.
 */

const bisect = (enough: (input: bigint) => boolean, below: bigint, holds: bigint): bigint => {
  let low = below
  let high = holds
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (enough(middle)) high = middle
    else low = middle
  }
  return high
}

/** The least input from 0 to `limit` that is `enough`. Undefined when `limit` is not enough either. */
export const leastInput = (enough: (input: bigint) => boolean, guess: bigint, limit: bigint): bigint | undefined => {
  let at = guess < 0n ? 0n : guess > limit ? limit : guess
  let step = 1n
  if (enough(at)) {
    while (at > 0n) {
      const lower = at > step ? at - step : 0n
      if (!enough(lower)) return bisect(enough, lower, at)
      at = lower
      step *= 2n
    }
    return 0n
  }
  while (at < limit) {
    const higher = at + step < limit ? at + step : limit
    if (enough(higher)) return bisect(enough, at, higher)
    at = higher
    step *= 2n
  }
  return undefined
}
