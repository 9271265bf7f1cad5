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
 * Dollars for people: rounded to cents from one dollar on, all digits below that, and always marked "about". It works
 * on text, and nothing is rounded up.
 */
export const usdText = ({ usd }: TimelineAmount): string | undefined => {
  const [, sign, whole, fraction] = /^(-?)(\d+)\.(\d+)$/u.exec(usd ?? "") ?? []
  if (whole === undefined || fraction === undefined) return undefined
  const cents = fraction.slice(0, 2).padEnd(2, "0")
  return `${sign}$${whole}.${/^0+$/u.test(whole) ? `${cents}${fraction.slice(2).replace(/0+$/u, "")}` : cents}`
}

export const amountText = ({ symbol, text }: TimelineAmount): string => visible(`${text} ${symbol}`)

/** A part's share of `whole` in thousandths, 0 to 1000: for bars, whose parts may also be gains. */
export const thousandths = (part: TimelineAmount, whole: bigint): number => {
  const units = BigInt(part.units)
  if (units <= 0n || whole <= 0n) return 0
  return units >= whole ? 1_000 : Number(units * 1_000n / whole)
}
