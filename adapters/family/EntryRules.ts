/** The family's rules for the entries of its chains in `configs/chains.<ENVIRONMENT>.json`. */
import type { Result } from "effect"
import type { ChainNetwork } from "../../src/domain/chain/ChainNetwork.ts"
import type { FinalityRule } from "../../src/domain/chain/Chain.ts"
import type { SwapSourceId } from "../../src/domain/swap/SwapSource.ts"

/** The optional parts of a chain's entry that a family may allow. */
export type EntryPart =
  /** `depositAddresses.factory`. */
  | "factory"
  /** `permits`. */
  | "permits"
  /** `additionalData.l1DataFee`. */
  | "l1-data-fee"
  /** `additionalData.checkpoint`. */
  | "checkpoint"
  /** `price.chainlink` of a currency. */
  | "price-feeds"

/** What a family allows in a chain's entry of the configuration, and how it reads its own parts of it. */
export interface EntryRules {
  /** The finality rule of entries that name none. */
  readonly finality: FinalityRule
  /** What is wrong with an entry's finality rule. Undefined when nothing is. */
  readonly refuseFinality: (rule: FinalityRule) => string | undefined
  /**
   * The first block of a chain, from its entry. Fails with what is wrong. Missing when entries name no first block: the
   * chain's number identifies it.
   */
  readonly genesis?: (
    named: string | undefined,
    network: ChainNetwork
  ) => Result.Result<string | undefined, string>
  readonly parts: ReadonlyArray<EntryPart>
  /** Where currencies of its chains are swapped. Empty when nothing is swapped. */
  readonly swapSources: ReadonlyArray<SwapSourceId>
}

/** For chains that count blocks: any depth, and either tag. */
export const anyFinality = (): undefined => undefined

/** Ten blocks, and a minute. */
export const usualFinality: FinalityRule = { _tag: "Depth", blocks: 10, seconds: 60 }
