/**
 * A configured chain in the wire's form (ROW-1, ROW-4): its currencies for deposits and fills, and the contracts that
 * quotes name.
 */
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import type { Currency } from "../../../../src/domain/money/Currency.ts"
import type { ChainRow } from "./ChainsApi.ts"

const currencyRow = ({ address, decimals, name, symbol }: Currency, bridged = true) => ({
  id: symbol.toLowerCase(),
  symbol,
  name,
  address,
  decimals,
  // Currencies that the solver holds can be deposited and paid out, in every pair. Other currencies are swapped.
  supportsBridging: bridged
})

export const chainRow = (chain: Chain, solverAddresses: ReadonlyArray<string>, paused: boolean): ChainRow => ({
  id: chain.id,
  name: chain.slug,
  displayName: chain.name,
  vmType: chain.family.apiName,
  slug: chain.slug,
  httpRpcUrl: chain.publicRpcUrl ?? null,
  explorerUrl: chain.explorerUrl ?? null,
  depositEnabled: !paused,
  disabled: paused,
  currency: currencyRow(chain.native),
  erc20Currencies: chain.currencies.filter((currency) => !currency.isNative).map((currency) => ({
    ...currencyRow(currency, true),
    supportsPermit: chain.permits?.permit2 !== undefined
  })).concat(
    (chain.swaps?.currencies ?? []).map((currency) => ({ ...currencyRow(currency, false), supportsPermit: false }))
  ),
  solverCurrencies: chain.currencies.map(({ address, decimals, name, symbol }) => ({
    symbol,
    name,
    address,
    decimals
  })),
  solverAddresses,
  protocol: {
    v2: {
      chainId: chain.slug,
      depository: chain.depository,
      ...(chain.permits === undefined ? {} : { permits: chain.permits }),
      ...(chain.swaps?.depositor === undefined ? {} : { swaps: { depositor: chain.swaps.depositor } }),
      ...(chain.depositAddresses === undefined ? {} : { depositAddresses: chain.depositAddresses })
    }
  }
})
