/** Which of the configured currencies a search names (ROW-3). Nothing is looked up elsewhere. */
import { Result } from "effect"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { findAnyCurrency } from "../../../../src/domain/chain/Chain.ts"
import type { Currency } from "../../../../src/domain/money/Currency.ts"
import { wireCurrency } from "../../../../src/domain/quote/wire/WireAmount.ts"
import type { CurrencyRow, CurrencySearch } from "./CurrenciesApi.ts"

const USUAL_LIMIT = 20

interface Listed {
  readonly chain: Chain
  readonly currency: Currency
  /** False for a currency that only a swap reaches. */
  readonly isHeld: boolean
}

/** Every currency of the chains, in the order of the configuration. */
export const listed = (chains: ReadonlyArray<Chain>): ReadonlyArray<Listed> =>
  chains.flatMap((chain) => [
    ...chain.currencies.map((currency) => ({ chain, currency, isHeld: true })),
    ...(chain.swaps?.currencies ?? []).map((currency) => ({ chain, currency, isHeld: false }))
  ])

/** The currency of a chain at an address, in any spelling of the chain's family. */
export const currencyAt = (chain: Chain, address: string): Currency | undefined => {
  const parsed = chain.family.addresses(chain.network).parseCurrency(address)
  return Result.isSuccess(parsed) ? findAnyCurrency(chain, parsed.success) : undefined
}

/** The id by which `GET /chains` names a currency: the same on every chain. */
export const currencyId = ({ symbol }: Currency): string => symbol.toLowerCase()

export const currencyRow = ({ chain, currency }: Pick<Listed, "chain" | "currency">): CurrencyRow => ({
  ...wireCurrency(currency),
  vmType: chain.family.apiName
})

const isAt = ({ chain, currency }: Listed, address: string): boolean => currencyAt(chain, address) === currency

const isNamed = (each: Listed, token: string): boolean => {
  const colon = token.indexOf(":")
  return `${each.chain.id}` === token.slice(0, colon) && isAt(each, token.slice(colon + 1))
}

const hasTerm = (each: Listed, term: string): boolean => {
  const [{ name, symbol }, wanted] = [each.currency, term.toLowerCase()]
  return symbol.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted) || isAt(each, term)
}

/** True when every part of the search holds. A part that is left out holds for all. */
const isWanted = (each: Listed, asked: CurrencySearch): boolean =>
  (asked.chainIds === undefined || asked.chainIds.length === 0 || asked.chainIds.includes(each.chain.id)) &&
  (asked.term === undefined || hasTerm(each, asked.term)) &&
  (asked.address === undefined || isAt(each, asked.address)) &&
  (asked.currencyId === undefined || currencyId(each.currency) === asked.currencyId.toLowerCase()) &&
  (asked.tokens === undefined || asked.tokens.length === 0 || asked.tokens.some((token) => isNamed(each, token)))

export const searchCurrencies = (
  chains: ReadonlyArray<Chain>,
  asked: CurrencySearch
): ReadonlyArray<CurrencyRow> => {
  // Every configured currency is a verified one.
  if (asked.verified === false) return []
  const all = listed(chains).filter(({ chain, isHeld }) =>
    (asked.defaultList !== true || isHeld) &&
    (asked.depositAddressOnly !== true || (isHeld && chain.depositAddresses !== undefined))
  )
  const found = all.filter((each) => isWanted(each, asked))
  const ids = new Set(found.map(({ currency }) => currencyId(currency)))
  const shown = asked.includeAllChains === true && asked.address !== undefined
    ? all.filter(({ currency }) => ids.has(currencyId(currency)))
    : found
  return shown.slice(0, asked.limit ?? USUAL_LIMIT).map(currencyRow)
}
