/** What the entry of a chain of any family says, for the service that believes it: pure, one list a chain. */
import type { Address } from "../chain/Address.ts"
import type { Chain } from "../chain/Chain.ts"
import { programs } from "../families/solana/evidence/Programs.ts"
import type { Currency } from "../money/Currency.ts"
import { attestedEvm, networkOf, tokensOf, tradedEvm } from "../families/ethereum/EvmExpectations.ts"
import type { Accounts, PricingFeed } from "../families/ethereum/EvmExpectations.ts"
import { PROGRAM } from "./Expectation.ts"
import type { Expectation } from "./Expectation.ts"

/** What a service does on its chains, and what it needs them to be for that. */
export type Purpose =
  | { readonly _tag: "Attest" }
  | { readonly _tag: "Trade"; readonly accounts: Accounts; readonly feeds: ReadonlyArray<PricingFeed> }

const wholeChain = ({ id }: Chain): Pick<Expectation, "covers"> => ({ covers: { _tag: "Chain", chainId: id } })

const program = (chain: Chain, entry: string, of: Address): Expectation => ({
  entry,
  ask: { _tag: "Code", of },
  configured: PROGRAM,
  ...wholeChain(chain),
  weight: "refuses"
})

const mint = (chain: Chain, { address, decimals, symbol }: Currency): ReadonlyArray<Expectation> => {
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

const solana = (chain: Chain, purpose: Purpose): ReadonlyArray<Expectation> => [
  ...networkOf(chain),
  program(chain, "depository", chain.depository),
  ...(purpose._tag === "Attest" ? [] : [
    ...(chain.swaps?.sources ?? []).map(({ id, router }) => program(chain, `swaps.${id}.router`, router)),
    ...tokensOf(chain).flatMap((token) => mint(chain, token))
  ])
]

/** Amounts on an exchange are its metadata's: nothing of it is right when they are not. */
const exchange = (chain: Chain): ReadonlyArray<Expectation> =>
  chain.currencies.map(({ address, decimals, symbol }) => ({
    entry: `currencies.${symbol}.decimals`,
    ask: { _tag: "Decimals", of: address },
    configured: decimals.toString(),
    ...wholeChain(chain),
    weight: "refuses"
  }))

export const expectationsOf = (chain: Chain, purpose: Purpose): ReadonlyArray<Expectation> => {
  switch (chain.family) {
    case "ethereum-vm":
    case "tron-vm":
      return purpose._tag === "Attest"
        ? attestedEvm(chain)
        : tradedEvm(chain, purpose.accounts, purpose.feeds.filter(({ chainId }) => chainId === chain.id))
    case "solana-vm":
      return solana(chain, purpose)
    case "bitcoin-vm":
      return networkOf(chain)
    case "exchangea-vm":
    case "exchangeb-vm":
      return exchange(chain)
  }
}
