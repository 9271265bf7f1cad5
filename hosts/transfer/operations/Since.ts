/** From when on the doctor looks: a time, or how long ago. */
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

/** A day, or a time that says of which zone it is: what the machine's zone is must not matter. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** Milliseconds; undefined for what is neither, and for what is still to come. */
export const parseSince = (text: string, now: number): number | undefined => {
  const ago = agoOf(text)
  if (ago !== undefined) return Math.max(0, now - Duration.toMillis(ago))
  const time = ISO.test(text) ? Option.getOrUndefined(DateTime.make(text)) : undefined
  const millis = time === undefined ? undefined : DateTime.toEpochMillis(time)
  return millis === undefined || millis < 0 || millis > now ? undefined : millis
}
