/** When a webhook that was not taken is tried again: ten tries in all, over nine to eighteen hours (WEBHOOK-3). */

/** After so many an event is given up; it can be replayed. */
export const MAX_TRIES = 10

const FIRST_MS = 2_000
const FACTOR = 3.5

/**
 * Milliseconds from the end of a try to the next; `unit` is a number drawn from [0, 1) that spreads the upper half of
 * the delay, so that a receiver that comes back is not met by everything at once. Undefined after the last try.
 */
export const retryDelay = (tries: number, unit: number): number | undefined =>
  tries >= MAX_TRIES ? undefined : Math.round(FIRST_MS * FACTOR ** (tries - 1) * (0.5 + unit / 2))
