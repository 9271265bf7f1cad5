import type { ConfiguredChain } from "../chain/ConfiguredChain.ts"
import type { Expectation } from "../configuration/Expectation.ts"

/** Amounts on an exchange are scaled by its metadata. If the metadata is wrong, every amount is wrong. */
export const exchangeExpectations = (chain: ConfiguredChain): ReadonlyArray<Expectation> =>
  chain.currencies.map(({ address, decimals, symbol }) => ({
    entry: `currencies.${symbol}.decimals`,
    ask: { _tag: "Decimals", of: address },
    configured: decimals.toString(),
    covers: { _tag: "Chain", chainId: chain.id },
    weight: "refuses"
  }))
