/**
 * A chain as the rules see it: names, contracts, currencies, how long a fact takes to become final.
 *
 * It carries no endpoint: where a chain is read from is the business of an adapter, and no URL can leak from a value
 * that holds none. Decoded from `configs/chains.<ENVIRONMENT>.json` (CONFIG-1).
 */
import { vaultOf } from "../families/solana/evidence/Programs.ts"
import type { Currency } from "../money/Currency.ts"
import type { ChainSwaps } from "../swap/SwapSource.ts"
import type { Usd } from "../money/Usd.ts"
import type { Address, CurrencyAddress } from "./Address.ts"
import type { BitcoinNetwork } from "../families/bitcoin/BitcoinNetwork.ts"
import type { ChainId, ChainSlug } from "./ChainId.ts"
import type { VmFamily } from "./VmFamily.ts"

/**
 * When a block counts as final: by the node's own tag, or by depth and age (EVIDENCE-3). The seconds of a tag decide
 * nothing: they are how long the tag usually takes, for estimates.
 */
export type FinalityRule =
  | { readonly _tag: "Tag"; readonly tag: "safe" | "finalized"; readonly seconds: number }
  | { readonly _tag: "Depth"; readonly blocks: number; readonly seconds: number }

/** Up to this value a deposit may be filled after so many blocks, its own counted (PRICE-21). */
export interface ConfirmationStep {
  readonly upToUsd: Usd
  readonly blocks: number
}

/**
 * A factory, one for all EVM chains, beside those that addresses were quoted from before; or keys of one seed, which
 * only a worker can derive.
 */
export type AddressSource =
  | { readonly factory: Address; readonly former?: ReadonlyArray<Address>; readonly keys?: undefined }
  | { readonly keys: "derived"; readonly factory?: undefined; readonly former?: undefined }

export interface Chain {
  readonly id: ChainId
  readonly slug: ChainSlug
  readonly family: VmFamily
  /** Which of a family's networks an address belongs to; only Bitcoin's addresses tell. */
  readonly network: BitcoinNetwork
  readonly name: string
  /**
   * Whose first block the chain begins with: how endpoints of a Solana cluster or a Bitcoin chain are told from
   * another's, whose nodes have no number.
   */
  readonly genesisHash?: string
  /** Whose deposits count: a contract, an account, on Solana the program. */
  readonly depository: Address
  readonly router: Address | undefined
  readonly vault: Address | undefined
  /** What its deposit addresses follow from; not there where it has none. */
  readonly depositAddresses?: AddressSource
  /**
   * What deposits for those who sign instead of sending; not there where a chain takes no permits. Permit2 where it has
   * one.
   */
  readonly permits?: { readonly forwarder: Address; readonly permit2?: Address }
  /** Where its currencies are swapped; not there where nothing is. */
  readonly swaps?: ChainSwaps
  /**
   * Whether its nodes take transactions with EIP-7702 authorizations, and put up with an authority that has others
   * waiting.
   */
  readonly takesAuthorizations?: boolean
  /** Where executions are submitted; not there on a chain that is no hub of this service. */
  readonly gate?: Address
  readonly native: Currency
  /** The chain's configured currencies, the native one included: what can be deposited and paid. */
  readonly currencies: ReadonlyArray<Currency>
  readonly finality: FinalityRule
  /** Ascending by value; above the last step only finality counts. */
  readonly confirmations: ReadonlyArray<ConfirmationStep>
  readonly blockTimeMs: number
  /**
   * How far a chain's head must be past a withdrawal's expiration besides a final block; 60 unless configured
   * (EVIDENCE-4).
   */
  readonly expiryMarginSeconds?: number
  /** A base, or with `{id}` in it the link of a transaction (`ExplorerLink`). */
  readonly explorerUrl: string | undefined
}

/** Where a depository program keeps what was deposited; contracts keep it themselves. */
const custodyOf = ({ depository, family }: Chain): Address | undefined =>
  family === "solana-vm" ? vaultOf(depository) : undefined

const ownContracts = (chain: Chain): ReadonlyArray<Address> =>
  [...named(chain), custodyOf(chain)].filter((address) => address !== undefined)

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
