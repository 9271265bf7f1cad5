/** How the values of a request timeline are written for people, on a page and in a terminal alike. */
import { DAY_MS, dateOf, utcDay } from "../calendar/Day.ts"
import type { TimelineAmount } from "./RequestTimeline.ts"

/**
 * A text without characters that only machines should read: control characters (a terminal runs them as commands) and
 * the marks that change the direction of writing, which can make one text look like another.
 */
export const visible = (text: string): string =>
  text.toWellFormed().replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\ufffd")

/** `2026-11-22 03:02:41 UTC`; a time in milliseconds. */
export const utcText = (at: number): string => {
  const seconds = Math.floor((at - utcDay(at) * DAY_MS) / 1_000)
  const two = (value: number) => `${value}`.padStart(2, "0")
  return `${dateOf(utcDay(at))} ${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${
    two(seconds % 60)
  } UTC`
}

/**
 * Dollars for people: cut to cents from one dollar on, all digits below that. It works on text, and nothing is rounded
 * up. Undefined for a text that is no decimal.
 */
export const dollarsText = (text: string): string | undefined => {
  const [, sign, whole, fraction] = /^(-?)(\d+)\.(\d+)$/u.exec(text) ?? []
  if (whole === undefined || fraction === undefined) return undefined
  const cents = fraction.slice(0, 2).padEnd(2, "0")
  return `${sign}$${whole}.${/^0+$/u.test(whole) ? `${cents}${fraction.slice(2).replace(/0+$/u, "")}` : cents}`
}

/** What an amount is worth. Places that show it mark it "about". */
export const usdText = ({ usd }: TimelineAmount): string | undefined => dollarsText(usd ?? "")

/** The most significant digits of a rounded amount. Digits before the point are never dropped. */
const SIGNIFICANT = 6

/**
 * An exact decimal cut to six significant digits, with `…` where digits are missing. Never rounded up, so nobody reads
 * of more than there is. Whole amounts have no point.
 */
export const roundedText = (text: string): string => {
  const [, whole = "", fraction = ""] = /^(-?\d+)\.(\d+)$/u.exec(text) ?? []
  const digits = whole.replace(/^-?0*/u, "").length
  const zeros = digits > 0 ? 0 : fraction.length - fraction.replace(/^0+/u, "").length
  const kept = Math.max(0, SIGNIFICANT - digits) + zeros
  const [shown, missing] = [fraction.slice(0, kept), fraction.slice(kept)]
  if (/^0*$/u.test(missing)) return text.replace(/\.0+$/u, "")
  return `${whole}${shown === "" ? "" : `.${shown}`}…`
}

/** `12 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`: milliseconds in the two largest units, cut. */
export const durationText = (milliseconds: number): string => {
  const seconds = Math.floor(milliseconds / 1_000)
  if (seconds < 1) return "under 1 s"
  const units = [["d", 86_400], ["h", 3_600], ["min", 60], ["s", 1]] as const
  const first = units.findIndex(([, size]) => seconds >= size)
  return units
    .slice(first, first + 2)
    .map(([name, size], index) =>
      [
        Math.floor((index === 0 ? seconds : seconds % (units[first]?.[1] ?? 1)) / size),
        name
      ] as const
    )
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(" ")
}

/** The amount, exact. */
export const amountText = ({ symbol, text }: TimelineAmount): string => visible(`${text} ${symbol}`)

/** The amount at a glance, for a place that also gives the exact one. */
export const roundedAmountText = ({ symbol, text }: TimelineAmount): string => visible(`${roundedText(text)} ${symbol}`)

/** A part's share of `whole` in thousandths, 0 to 1000: for bars, whose parts may also be gains. */
export const thousandths = (part: TimelineAmount, whole: bigint): number => {
  const units = BigInt(part.units)
  if (units <= 0n || whole <= 0n) return 0
  return units >= whole ? 1_000 : Number(units * 1_000n / whole)
}
