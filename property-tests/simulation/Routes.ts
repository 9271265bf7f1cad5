/** From where to where a transfer of a simulated world goes, and what it moves there. */
import type { Dice } from "./Dice.ts"
import { bitcoin, currencies, halfMicros, slugs, tronCurrencies } from "./Terms.ts"
import type { AnySlug, Families } from "./Terms.ts"

type Route = readonly [AnySlug, AnySlug]

const [alpha, beta] = slugs
const withOther = (other: "bitcoin" | "tron"): readonly [Route, ...ReadonlyArray<Route>] => [
  [alpha, other],
  [other, alpha],
  [beta, other],
  [other, beta]
]

export const drawRoute = (families: Families, dice: Dice): Route => {
  switch (families) {
    case "ledger":
      return dice.chance(0.5) ? slugs : [beta, alpha]
    case "bitcoin":
    case "tron":
      return dice.pick(withOther(families))
    case "all":
      return dice.pick([...withOther("bitcoin"), ...withOther("tron"), slugs, [beta, alpha] as const])
  }
}

/** One of the chain's currencies. */
export const drawCurrency = (slug: AnySlug, dice: Dice): string => {
  if (slug === "tron") return dice.pick(tronCurrencies)
  const drawn = dice.pick(currencies)
  return slug === "bitcoin" ? bitcoin : drawn
}

/** Smallest units of a currency that are worth as much as so many of the ledger's own coin. */
export const unitsWorth = (amount: number, currency: string): bigint =>
  currency === bitcoin ? BigInt(amount) / halfMicros(bitcoin) : BigInt(amount)
