/**
 * A chain as the rules see it: names, contracts, currencies, how long a fact takes to become final.
 *
 * It carries no endpoint: where a chain is read from is the business of an adapter, and no URL can leak from a value
 * that holds none. Decoded from `configs/chains.<ENVIRONMENT>.json` (CONFIG-1).
 */
import type { FamilyRules } from "../families/FamilyRules.ts"
import type { Currency } from "../money/Currency.ts"
import type { Address, CurrencyAddress } from "./Address.ts"
import type { ChainId, ChainSlug } from "./ChainId.ts"
import type { ConfiguredChain } from "./ConfiguredChain.ts"

export type { ConfirmationStep, FinalityRule } from "./ConfiguredChain.ts"

export interface Chain extends ConfiguredChain {
  /** The rules of its family: asked, never compared with a name. */
  readonly family: FamilyRules
}

const ownContracts = (chain: Chain): ReadonlyArray<Address> =>
  [...named(chain), chain.family.custodyOf(chain.depository)].filter((address) => address !== undefined)

const named = (
  { depositAddresses, depository, permits, router, swaps, vault }: Chain
): ReadonlyArray<Address | undefined> => [
  depository,
  router,
  vault,
  depositAddresses?.factory,
  ...(depositAddresses?.former ?? []),
  permits?.forwarder,
  permits?.permit2,
  swaps?.depositor
]

/** Routers leave what they are paid to whoever comes next. */
const swapContracts = ({ swaps }: Chain): ReadonlyArray<string> =>
  swaps === undefined
    ? []
    : [
      swaps.wrapped,
      ...(swaps.handover === undefined ? [] : [swaps.handover]),
      ...swaps.sources.map(({ router }) => router),
      ...swaps.currencies.map(({ address }) => address)
    ]

/**
 * A contract of ours or a currency of the chain, nobody's address among them: a plain payment there would be burnt, or
 * be a deposit again and go round in a loop.
 */
export const keepsNoPayment = (chain: Chain, address: Address): boolean =>
  ownContracts(chain).includes(address) || swapContracts(chain).includes(address) ||
  chain.currencies.some((currency) => String(currency.address) === String(address))

/** The configured currency of a chain at this address. */
export const findCurrency = (chain: Chain, address: CurrencyAddress): Currency | undefined =>
  chain.currencies.find((currency) => currency.address === address)

/** One that the solver does not hold: only swaps lead to it and from it. */
export const findSwapCurrency = ({ swaps }: Chain, address: CurrencyAddress): Currency | undefined =>
  swaps?.currencies.find((currency) => currency.address === address)

/** The configured currency at this address, held by the solver or only reached by swaps. */
export const findAnyCurrency = (chain: Chain, address: CurrencyAddress): Currency | undefined =>
  findCurrency(chain, address) ?? findSwapCurrency(chain, address)

/** The configured chain with this EIP-155 or own number. */
export const findChain = (chains: ReadonlyArray<Chain>, id: ChainId): Chain | undefined =>
  chains.find((chain) => chain.id === id)

/** The configured chain of this name. */
export const findChainBySlug = (chains: ReadonlyArray<Chain>, slug: ChainSlug): Chain | undefined =>
  chains.find((chain) => chain.slug === slug)
