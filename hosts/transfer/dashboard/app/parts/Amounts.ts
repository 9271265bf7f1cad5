/** Amounts as people write them. Exact: bigint only. */
import { dollarsText } from "../../../../../src/domain/timeline/DisplayText.ts"

/** Smallest units with these decimals, without trailing zeros. */
export const formatUnits = (units: string, decimals: number): string => {
  const negative = units.startsWith("-")
  const digits = (negative ? units.slice(1) : units).padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const rest = digits.slice(digits.length - decimals).replace(/0+$/u, "")
  return `${negative ? "−" : ""}${whole}${rest === "" ? "" : `.${rest}`}`
}

/** Micro-USDC as dollars. */
export const formatUsdc = (micros: string): string => formatUnits(micros, 6)

/** Dollars for people. */
export const formatDollars = (text: string): string => dollarsText(text) ?? `$${text}`

/** Smallest units of a decimal text; undefined when it is none, or has more decimals. */
export const parseUnits = (text: string, decimals: number): string | undefined => {
  const [, whole, rest = ""] = /^(\d{1,30})(?:\.(\d+))?$/u.exec(text.trim()) ?? []
  if (whole === undefined || rest.length > decimals) return undefined
  return BigInt(whole + rest.padEnd(decimals, "0")).toString()
}

/** A long id or address, its middle left out. */
export const shorten = (id: string): string => id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-6)}`

/** A time in the reader's own zone. */
export const formatTime = (iso: string): string =>
  new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })
