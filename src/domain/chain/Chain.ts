/**
 * A chain as the rules see it: names, contracts, currencies, and how long a fact takes to become final.
 *
 * It carries no endpoint of ours. Adapters know where a chain is read from, so no secret URL can leak from this value. Decoded from
 * `configs/chains.<ENVIRONMENT>.json` (CONFIG-1).
 */
import type { FamilyRules } from "../families/FamilyRules.ts"
import type { Currency } from "../money/Currency.ts"
import type { Address, CurrencyAddress } from "./Address.ts"
import type { ChainId, ChainSlug } from "./ChainId.ts"
import type { ConfiguredChain } from "./ConfiguredChain.ts"

export type { ConfirmationStep, FinalityRule } from "./ConfiguredChain.ts"

/** A configured chain with its family's rules. It carries no URL. */
export interface Chain extends ConfiguredChain {
  /** The rules of its family. Code asks these and never compares family names. */
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

/** Routers leave the money that they receive to the next caller. */
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
 * True for an address that must not receive a plain payment: a contract of ours, a swap contract, or a currency of the
 * chain, the native sentinel included. The payment would be burnt, or count as a new deposit and loop.
 */
export const keepsNoPayment = (chain: Chain, address: Address): boolean =>
  ownContracts(chain).includes(address) || swapContracts(chain).includes(address) ||
  chain.currencies.some((currency) => String(currency.address) === String(address))

/** The configured currency of a chain at this address. */
export const findCurrency = (chain: Chain, address: CurrencyAddress): Currency | undefined =>
  chain.currencies.find((currency) => currency.address === address)

/** A currency that the solver does not hold. It is only reached by swaps. */
export const findSwapCurrency = ({ swaps }: Chain, address: CurrencyAddress): Currency | undefined =>
  swaps?.currencies.find((currency) => currency.address === address)

/** The configured currency at this address, whether the solver holds it or only swaps reach it. */
export const findAnyCurrency = (chain: Chain, address: CurrencyAddress): Currency | undefined =>
  findCurrency(chain, address) ?? findSwapCurrency(chain, address)

/** The configured chain with this number: EIP-155, or the chain's own. */
export const findChain = (chains: ReadonlyArray<Chain>, id: ChainId): Chain | undefined =>
  chains.find((chain) => chain.id === id)

/** The configured chain of this name. */
export const findChainBySlug = (chains: ReadonlyArray<Chain>, slug: ChainSlug): Chain | undefined =>
  chains.find((chain) => chain.slug === slug)
