/**
 * Days of the calendar in UTC: as a number, counted from the Unix epoch, and as a date such as `2026-11-21`.
 *
 * Every day has 86,400,000 milliseconds: UNIX time has no leap seconds. Not for local time.
 */

export const DAY_MS = 86_400_000

/** The number of the day that contains a time in milliseconds. */
export const utcDay = (at: number): number => Math.floor(at / DAY_MS)

/** The number of a date's day. Undefined when the text is not a date of the calendar. */
export const dayOf = (date: string): number | undefined => {
  const millis = /^\d{4}-\d{2}-\d{2}$/u.test(date) ? Date.parse(`${date}T00:00:00.000Z`) : Number.NaN
  // Date.parse reads the 30th of February as a day in March.
  return Number.isNaN(millis) || dateOf(millis / DAY_MS) !== date ? undefined : millis / DAY_MS
}

/** The date of a day. */
export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
