/** The start of the period that the doctor checks: a time, or how long ago. */
import { DateTime, Duration, Option } from "effect"

const units: Readonly<Record<string, (count: number) => Duration.Duration>> = {
  m: Duration.minutes,
  h: Duration.hours,
  d: Duration.days
}

/** `90m`, `24h`, `7d`. */
const agoOf = (text: string): Duration.Duration | undefined => {
  const [, count = "", unit = ""] = /^([1-9][0-9]{0,5})([mhd])$/.exec(text) ?? []
  return units[unit]?.(Number(count))
}

/** A date, or a time with its zone: the machine's zone must not matter. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** Milliseconds. Undefined for any other text, and for a future time. */
export const parseSince = (text: string, now: number): number | undefined => {
  const ago = agoOf(text)
  if (ago !== undefined) return Math.max(0, now - Duration.toMillis(ago))
  const time = ISO.test(text) ? Option.getOrUndefined(DateTime.make(text)) : undefined
  const millis = time === undefined ? undefined : DateTime.toEpochMillis(time)
  return millis === undefined || millis < 0 || millis > now ? undefined : millis
}
