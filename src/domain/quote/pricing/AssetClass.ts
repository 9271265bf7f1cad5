/**
 * How similar two currencies are, which decides the service's share and the spread (PRICE-5, table of components,
 * PRICE-15).
 *
 * A currency's class is configured; a symbol proves nothing about an unconfigured token, and only configured currencies
 * are quoted.
 */
import { Bps } from "../../money/Bps.ts"
import type { Currency } from "../../money/Currency.ts"

const stable: ReadonlySet<string> = new Set(["USDC", "USDT", "DAI", "USDC.e", "PYUSD"])
const major: ReadonlySet<string> = new Set(["ETH", "WETH", "BTC", "WBTC", "SOL", "BNB"])
const wrapped: ReadonlyMap<string, string> = new Map([["WETH", "ETH"], ["WBNB", "BNB"], ["WSOL", "SOL"], [
  "WBTC",
  "BTC"
]])

/** How similar two currencies are. */
export type PairClass = "same" | "stable" | "major" | "other"

const underlying = (currency: Currency): string => wrapped.get(currency.symbol) ?? currency.symbol

/** The class of a pair: the same asset (a wrap included), stable–stable, major–major or major–stable, anything else. */
export const pairClass = (a: Currency, b: Currency): PairClass => {
  if (underlying(a) === underlying(b)) return "same"
  if (stable.has(a.symbol) && stable.has(b.symbol)) return "stable"
  const known = (currency: Currency) => stable.has(currency.symbol) || major.has(currency.symbol)
  return known(a) && known(b) ? "major" : "other"
}

const serviceBpsByClass: Readonly<Record<PairClass, Bps>> = {
  same: Bps(0n),
  stable: Bps(1n),
  major: Bps(6n),
  other: Bps(15n)
}

/** The service's share of the input. */
export const serviceBps = (pair: PairClass): Bps => serviceBpsByClass[pair]

const automaticSlippage: Readonly<Record<PairClass, Bps>> = {
  same: Bps(200n),
  stable: Bps(50n),
  major: Bps(200n),
  other: Bps(200n)
}

/**
 * Slippage tolerance when the request names none: 200 bps, 50 for stable pairs. A stablecoin to itself is not a stable
 * pair.
 */
export const automaticSlippageBps = (pair: PairClass): Bps => automaticSlippage[pair]
