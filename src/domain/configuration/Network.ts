/** The chain that endpoints must serve, and the tokens that are compared with it, for every family. */
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

/** For a chain with a number. */
export const numberedNetwork = (chain: ConfiguredChain): ReadonlyArray<Expectation> => [
  network("chainId", chain.id.toString(), chain)
]

/** For a chain that is identified by its first block, or by a later one. Empty when none is configured. */
export const genesisNetwork = (chain: ConfiguredChain): ReadonlyArray<Expectation> =>
  chain.checkpoint !== undefined
    ? [network("checkpoint.hash", chain.checkpoint.hash, chain)]
    : chain.genesisHash === undefined
    ? []
    : [network("genesisHash", chain.genesisHash, chain)]

/** The chain's identity: its number, or the hash of the block that identifies it where the family has no numbers. */
export const networkOf = (chain: Chain): ReadonlyArray<Expectation> =>
  chain.family.isNumbered ? numberedNetwork(chain) : genesisNetwork(chain)

/** The answer to `Network` of an endpoint on this chain. Undefined where nothing distinguishes chains of the family. */
export const identityOf = ({ checkpoint, family, genesisHash, id }: Chain): string | undefined =>
  family.isNumbered ? id.toString() : checkpoint?.hash ?? genesisHash

/** All configured tokens of the chain, those of its swaps included. Native currencies have no contract to compare. */
export const tokensOf = ({ currencies, swaps }: ConfiguredChain): ReadonlyArray<Currency> =>
  [...currencies, ...swaps?.currencies ?? []].filter(({ isNative }) => !isNative)
