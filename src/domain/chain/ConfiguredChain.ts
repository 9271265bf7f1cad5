/**
 * What the entry of a chain says as values: names, contracts, currencies, how long a fact takes to become final.
 * `Chain` adds its family.
 */
import type { Currency } from "../money/Currency.ts"
import type { ChainSwaps } from "../swap/SwapSource.ts"
import type { Usd } from "../money/Usd.ts"
import type { Address } from "./Address.ts"
import type { ChainNetwork } from "./ChainNetwork.ts"
import type { ChainId, ChainSlug } from "./ChainId.ts"

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

/** All but the family, whose rules say what of this counts. */
export interface ConfiguredChain {
  readonly id: ChainId
  readonly slug: ChainSlug
  /** Which of a family's networks an address belongs to; only Bitcoin's addresses tell. */
  readonly network: ChainNetwork
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
