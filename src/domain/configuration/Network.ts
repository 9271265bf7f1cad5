/** Which chain endpoints must be on, and what of a chain's currencies is compared with it, whatever its family. */
import type { Chain } from "../chain/Chain.ts"
import type { ConfiguredChain } from "../chain/ConfiguredChain.ts"
import type { Currency } from "../money/Currency.ts"
import type { Expectation } from "./Expectation.ts"

const network = (entry: string, configured: string, { id }: ConfiguredChain): Expectation => ({
  entry,
  ask: { _tag: "Network" },
  configured,
  covers: { _tag: "Chain", chainId: id },
  weight: "refuses"
})

/** Of a chain with a number of its own. */
export const numberedNetwork = (chain: ConfiguredChain): ReadonlyArray<Expectation> => [
  network("chainId", chain.id.toString(), chain)
]

/** Of a chain that is told by its first block; nothing where none is configured. */
export const genesisNetwork = (chain: ConfiguredChain): ReadonlyArray<Expectation> =>
  chain.genesisHash === undefined ? [] : [network("genesisHash", chain.genesisHash, chain)]

export const networkOf = (chain: Chain): ReadonlyArray<Expectation> =>
  chain.family.isNumbered ? numberedNetwork(chain) : genesisNetwork(chain)

/** What an endpoint that is on the chain answers to `Network`; undefined where nothing tells chains of the family apart. */
export const identityOf = ({ family, genesisHash, id }: Chain): string | undefined =>
  family.isNumbered ? id.toString() : genesisHash

export const tokensOf = ({ currencies, swaps }: ConfiguredChain): ReadonlyArray<Currency> =>
  [...currencies, ...swaps?.currencies ?? []].filter(({ isNative }) => !isNative)
