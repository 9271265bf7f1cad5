/** When an undelivered webhook is retried: ten tries in all, over nine to eighteen hours (WEBHOOK-3). */

/** An event is abandoned after this many tries; it can be replayed. */
export const MAX_TRIES = 10

const FIRST_MS = 2_000
const FACTOR = 3.5

/**
 * Milliseconds from the end of a try to the next. `unit` is a random number from [0, 1) that spreads the upper half of
 * the delay, so that a recovering receiver does not get everything at once. Undefined after the last try.
 */
export const retryDelay = (tries: number, unit: number): number | undefined =>
  tries >= MAX_TRIES ? undefined : Math.round(FIRST_MS * FACTOR ** (tries - 1) * (0.5 + unit / 2))
