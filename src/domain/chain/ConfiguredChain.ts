/**
 * The configuration entry of a chain, decoded: names, contracts, currencies, and how long a fact takes to become final.
 * `Chain` adds its family.
 */
import type { Currency } from "../money/Currency.ts"
import type { ChainSwaps } from "../swap/SwapSource.ts"
import type { Usd } from "../money/Usd.ts"
import type { Address } from "./Address.ts"
import type { ChainNetwork } from "./ChainNetwork.ts"
import type { ChainId, ChainSlug } from "./ChainId.ts"

/**
 * When a block counts as final: by the node's own tag, or by depth and age (EVIDENCE-3). A tag's `seconds` are only an
 * estimate of how long the tag takes; they decide nothing.
 */
export type FinalityRule =
  | { readonly _tag: "Tag"; readonly tag: "safe" | "finalized"; readonly seconds: number }
  | { readonly _tag: "Depth"; readonly blocks: number; readonly seconds: number }

/** Up to this value a deposit may be filled after this many blocks, its own included (PRICE-21). */
export interface ConfirmationStep {
  readonly upToUsd: Usd
  readonly blocks: number
}

/**
 * Where deposit addresses come from: a factory (one for all EVM chains) and its former ones, or keys derived from one
 * seed, which only a worker can derive.
 */
export type AddressSource =
  | { readonly factory: Address; readonly former?: ReadonlyArray<Address>; readonly keys?: undefined }
  | { readonly keys: "derived"; readonly factory?: undefined; readonly former?: undefined }

/**
 * `arbitrum`: as units of gas, which estimates and receipts contain (PRICE-27). `op-stack`: as a fee besides the gas
 * (PRICE-28).
 */
export type L1DataFee = "arbitrum" | "op-stack"

/** Every field but the family. The family's rules say which of them matter. */
export interface ConfiguredChain {
  readonly id: ChainId
  readonly slug: ChainSlug
  /** The network of its addresses. Only Bitcoin's addresses show it. */
  readonly network: ChainNetwork
  readonly name: string
  /**
   * Hash of the chain's first block. It identifies chains whose nodes have no chain number: Solana clusters, Bitcoin
   * chains.
   */
  readonly genesisHash?: string
  /** A block that only this branch of a chain has, where others share its first block (BITCOIN-21). */
  readonly checkpoint?: { readonly height: number; readonly hash: string }
  /** Takes the deposits: a contract, an account, or on Solana the program. */
  readonly depository: Address
  readonly router: Address | undefined
  readonly vault: Address | undefined
  /** Where its deposit addresses come from. Absent when the chain has none. */
  readonly depositAddresses?: AddressSource
  /**
   * The contracts that deposit for users who sign instead of sending. Absent when the chain takes no permits. `permit2`
   * where the chain has it.
   */
  readonly permits?: { readonly forwarder: Address; readonly permit2?: Address }
  /** Where its currencies are swapped. Absent when none are. */
  readonly swaps?: ChainSwaps
  /**
   * Whether its nodes accept transactions with EIP-7702 authorizations, also when the authority has other transactions
   * pending.
   */
  readonly takesAuthorizations?: boolean
  /** How it charges for a transaction's data on L1, besides gas for what runs. Absent where it does not. */
  readonly l1DataFee?: L1DataFee
  /** Where executions are submitted. Absent on a chain that is not a hub of this service. */
  readonly gate?: Address
  readonly native: Currency
  /** The chain's configured currencies, the native one included. They can be deposited and paid. */
  readonly currencies: ReadonlyArray<Currency>
  readonly finality: FinalityRule
  /** Ascending by value. Above the last step only finality counts. */
  readonly confirmations: ReadonlyArray<ConfirmationStep>
  readonly blockTimeMs: number
  /**
   * How far the chain's head must be past a withdrawal's expiration, in addition to a final block (EVIDENCE-4).
   * Seconds, 60 by default.
   */
  readonly expiryMarginSeconds?: number
  /** An endpoint that everybody may use and is told. The service itself does not read it. */
  readonly publicRpcUrl?: string | undefined
  /** A base URL, or a transaction's link with `{id}` in it (`ExplorerLink`). */
  readonly explorerUrl: string | undefined
}
