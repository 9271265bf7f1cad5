/** What a service serves, found by the names that people use: a chain's slug, name or number, a currency's symbol. */
import { Effect, Result } from "effect"
import { parseDecimal } from "../../../src/domain/money/Decimal.ts"
import type { Answer } from "../../transfer/client/Operations.ts"
import { wrongUsage } from "../Program.ts"
import type { ProgramFailed } from "../Program.ts"

/** A chain as `GET /chains` tells it. */
export type ServedChain = Answer<"GET /chains">["chains"][number]

/** A currency of a chain. */
export interface ServedCurrency {
  readonly symbol: string
  readonly address: string
  readonly decimals: number
}

/** The native currency first, each once. */
export const currenciesOf = (
  { currency, erc20Currencies, solverCurrencies }: ServedChain
): ReadonlyArray<ServedCurrency> => {
  const all: ReadonlyArray<ServedCurrency> = [currency, ...erc20Currencies, ...solverCurrencies]
  return all.filter(({ address }, index) => all.findIndex((each) => each.address === address) === index)
}

const isCalled = (names: ReadonlyArray<string>, text: string): boolean =>
  names.some((name) => name.toLowerCase() === text.toLowerCase())

/** The chain that is called so. */
export const chainCalled = (
  chains: ReadonlyArray<ServedChain>,
  flag: string,
  text: string
): Result.Result<ServedChain, ProgramFailed> => {
  const found = chains.find(({ displayName, id, name, slug }) => isCalled([slug, name, displayName, `${id}`], text))
  return found === undefined
    ? Result.fail(wrongUsage(`--${flag} ${text} is none of the chains: ${chains.map(({ slug }) => slug).join(", ")}`))
    : Result.succeed(found)
}

/** The currency of that symbol or address. */
export const currencyCalled = (
  chain: ServedChain,
  flag: string,
  text: string
): Result.Result<ServedCurrency, ProgramFailed> => {
  const currencies = currenciesOf(chain)
  const found = currencies.find(({ address, symbol }) => isCalled([symbol, address], text))
  const known = currencies.map(({ symbol }) => symbol).join(", ")
  return found === undefined
    ? Result.fail(wrongUsage(`--${flag} ${text} is none of ${known} on ${chain.slug}`))
    : Result.succeed(found)
}

/** A decimal amount in smallest units: exact, and more than zero. */
export const unitsOf = (
  text: string,
  { decimals, symbol }: ServedCurrency
): Effect.Effect<bigint, ProgramFailed> => {
  const units = parseDecimal(text, decimals)
  if (Result.isFailure(units)) {
    return Effect.fail(wrongUsage(`--amount ${text} is no decimal number of at most ${decimals} decimals (${symbol})`))
  }
  return units.success > 0n ? Effect.succeed(units.success) : Effect.fail(wrongUsage("--amount must be more than zero"))
}
