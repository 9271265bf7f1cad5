/**
 * Amounts that an exchange writes as decimal strings, scaled exactly (EXCHANGEA-1, exchangea-vm).
 *
 * A remainder below the smallest unit is an error. Nothing is rounded.
 */

const decimal = /^(?:0|[1-9][0-9]{0,77})(?:\.[0-9]{1,78})?$/

/** The amount in units of 10^-decimals. `undefined` for text that is not a decimal, or leaves a remainder. */
export const scaleDecimal = (text: string, decimals: number): bigint | undefined => {
  if (!decimal.test(text)) return undefined
  const [whole = "", fraction = ""] = text.split(".")
  const kept = fraction.slice(0, decimals).padEnd(decimals, "0")
  return /^0*$/.test(fraction.slice(decimals)) ? BigInt(whole + kept) : undefined
}

/** The shortest text of an amount in units of 10^-decimals, as the exchange itself writes it. The amount is not negative. */
export const writeDecimal = (amount: bigint, decimals: number): string => {
  const digits = amount.toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  return fraction === "" ? whole : `${whole}.${fraction}`
}
