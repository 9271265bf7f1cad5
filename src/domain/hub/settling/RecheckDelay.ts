/**
 * When a settlement is checked again. One that could not be submitted is retried soon, then with growing delays. One
 * that is settled is rechecked some time later, because what was final may have been undone. Pure.
 */

const FIRST_MS = 1_000
const FACTOR = 2
const MOST_MS = 600_000

/** Milliseconds. `attempts` counts the tries so far. `unit` from [0, 1) spreads the upper half. */
export const retryDelayOf = (attempts: number, unit: number): number =>
  Math.round(Math.min(MOST_MS, FIRST_MS * FACTOR ** Math.min(attempts, 30)) * (0.5 + unit / 2))

const RECONNECT_EVERY_MS = 5_000

/** Far enough from now that a chain which is away is not asked at once again. */
const RECONNECT_LEAST_MS = 1_000

/**
 * The time of the retry after a chain or the hub was unreachable, in milliseconds: soon, as it may be back at any
 * moment, and the same for all that wait, so that they are submitted together once it is.
 */
export const reconnectAt = (now: number): number =>
  Math.ceil((now + RECONNECT_LEAST_MS) / RECONNECT_EVERY_MS) * RECONNECT_EVERY_MS

/** Milliseconds after the settlement. */
const LOOKS_BACK_MS = [15 * 60_000, 24 * 60 * 60_000]

/** The time of the next check that the hub still has the settlement, in milliseconds. Undefined after the last one. */
export const recheckAt = (settledAt: number, now: number): number | undefined =>
  LOOKS_BACK_MS.map((after) => settledAt + after).find((at) => at > now)

/** At ten minutes each, about a week. */
const MOST_LOOKS = 1_000

/**
 * Reasons that depend only on this service's own reads. If they persist that long, they are permanent. All others
 * depend on oracles and the hub.
 */
const own: ReadonlySet<string> = new Set(["chain-not-served", "deposit-open", "payment-open", "not-found", "unread"])

/**
 * True when the settlement will never succeed by itself. `looks` counts the latest tries, all of which failed for this
 * reason.
 */
export const isGivenUp = (reason: string, looks: number): boolean => looks >= MOST_LOOKS && own.has(reason)
