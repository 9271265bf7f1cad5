/**
 * What the configuration entry of a Solana chain says: its cluster, its programs, and mints with their owner and
 * decimals.
 */
import type { Address } from "../../chain/Address.ts"
import type { ConfiguredChain } from "../../chain/ConfiguredChain.ts"
import { PROGRAM } from "../../configuration/Expectation.ts"
import type { Expectation, Purpose } from "../../configuration/Expectation.ts"
import { genesisNetwork, tokensOf } from "../../configuration/Network.ts"
import type { Currency } from "../../money/Currency.ts"
import { programs } from "./evidence/Programs.ts"

const wholeChain = ({ id }: ConfiguredChain): Pick<Expectation, "covers"> => ({
  covers: { _tag: "Chain", chainId: id }
})

const program = (chain: ConfiguredChain, entry: string, of: Address): Expectation => ({
  entry,
  ask: { _tag: "Code", of },
  configured: PROGRAM,
  ...wholeChain(chain),
  weight: "refuses"
})

const mint = (chain: ConfiguredChain, { address, decimals, symbol }: Currency): ReadonlyArray<Expectation> => {
  const covers = { _tag: "Currency", chainId: chain.id, currency: address } as const
  const entry = `currencies.${symbol}`
  return [
    {
      entry: `${entry}.address`,
      ask: { _tag: "Owner", of: address },
      configured: programs.token,
      accepts: [programs.token2022],
      covers,
      weight: "refuses"
    },
    {
      entry: `${entry}.decimals`,
      ask: { _tag: "Decimals", of: address },
      configured: decimals.toString(),
      covers,
      weight: "refuses"
    }
  ]
}

export const solanaExpectations = (chain: ConfiguredChain, purpose: Purpose): ReadonlyArray<Expectation> => [
  ...genesisNetwork(chain),
  program(chain, "depository", chain.depository),
  ...(purpose._tag === "Attest" ? [] : [
    ...(chain.swaps?.depositor === undefined ? [] : [program(chain, "swaps.depositor", chain.swaps.depositor)]),
    ...(chain.swaps?.sources ?? []).map(({ id, router }) => program(chain, `swaps.${id}.router`, router)),
    ...tokensOf(chain).flatMap((token) => mint(chain, token))
  ])
]
