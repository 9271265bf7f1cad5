/**
 * When a settlement is looked at again: one that could not be submitted soon at first, then ever more seldom; one that
 * is settled some time after, because what was final may have been undone. Pure.
 */

const FIRST_MS = 1_000
const FACTOR = 2
const MOST_MS = 600_000

/** Milliseconds; `attempts` counts the looks so far, `unit` from [0, 1) spreads the upper half. */
export const retryDelayOf = (attempts: number, unit: number): number =>
  Math.round(Math.min(MOST_MS, FIRST_MS * FACTOR ** Math.min(attempts, 30)) * (0.5 + unit / 2))

const UNREACHED_MS = 5_000

/**
 * Milliseconds, for what failed because a chain or the hub was out of reach: it is there again at any moment. `unit` as
 * above.
 */
export const reconnectDelayOf = (unit: number): number => Math.round(UNREACHED_MS * (0.5 + unit / 2))

/** Milliseconds after it was settled. */
const LOOKS_BACK_MS = [15 * 60_000, 24 * 60 * 60_000]

/**
 * The next time, in milliseconds, at which it is looked whether the hub still has what it had then; undefined after the
 * last.
 */
export const recheckAt = (settledAt: number, now: number): number | undefined =>
  LOOKS_BACK_MS.map((after) => settledAt + after).find((at) => at > now)

/** At ten minutes each, about a week. */
const MOST_LOOKS = 1_000

/**
 * What this service reads itself and is not so after all that time will not be so: the rest depends on oracles and the
 * hub.
 */
const own: ReadonlySet<string> = new Set(["chain-not-served", "deposit-open", "payment-open", "not-found", "unread"])

/** True for what nothing will ever settle by itself; `looks` counts the last ones, all of them for this reason. */
export const isGivenUp = (reason: string, looks: number): boolean => looks >= MOST_LOOKS && own.has(reason)
