/** What only a family knows of the entries of its chains in `configs/chains.<ENVIRONMENT>.json`. */
import type { Result } from "effect"
import type { ChainNetwork } from "../../src/domain/chain/ChainNetwork.ts"
import type { FinalityRule } from "../../src/domain/chain/Chain.ts"
import type { SwapSourceId } from "../../src/domain/swap/SwapSource.ts"

/** What the entry of a chain may have beside what every entry has. */
export type EntryPart =
  /** `depositAddresses.factory`. */
  | "factory"
  /** `permits`. */
  | "permits"
  /** `price.chainlink` of a currency. */
  | "price-feeds"

export interface EntryRules {
  /** When its blocks are final, where an entry does not say. */
  readonly finality: FinalityRule
  /** What is wrong with how an entry says when blocks are final; undefined where nothing is. */
  readonly refuseFinality: (rule: FinalityRule) => string | undefined
  /**
   * The first block of a chain, by what its entry names. Fails with what is wrong. Not there where an entry has none:
   * the chain's number tells it apart.
   */
  readonly genesis?: (
    named: string | undefined,
    network: ChainNetwork
  ) => Result.Result<string | undefined, string>
  readonly parts: ReadonlyArray<EntryPart>
  /** Where currencies of its chains are swapped; none where nothing is. */
  readonly swapSources: ReadonlyArray<SwapSourceId>
}

/** Of chains that count blocks: every number of them, and either tag. */
export const anyFinality = (): undefined => undefined

/** Ten blocks and a minute. */
export const usualFinality: FinalityRule = { _tag: "Depth", blocks: 10, seconds: 60 }
