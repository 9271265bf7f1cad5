/** When a settlement that could not be submitted is looked at again: soon at first, then ever more seldom, for ever. */

const FIRST_MS = 1_000
const FACTOR = 2
const MOST_MS = 600_000

/** Milliseconds; `attempts` counts the looks so far, `unit` from [0, 1) spreads the upper half. */
export const lookAgainAfter = (attempts: number, unit: number): number =>
  Math.round(Math.min(MOST_MS, FIRST_MS * FACTOR ** Math.min(attempts, 30)) * (0.5 + unit / 2))
