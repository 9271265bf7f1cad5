/**
 * The fee rate that a transaction of ours offers now (BITCOIN-7), for whoever prices or signs one. The treasury, the
 * quotes and their steps ask it; how it is read is the layer's concern.
 */
import { Context } from "effect"
import type { Effect } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"

export class BitcoinRates extends Context.Service<BitcoinRates, {
  /** Never above the configured ceiling. Fails while node and explorer know no rate, or do not agree on one. */
  readonly rate: (chain: Chain) => Effect.Effect<FeeRate, ChainUnavailable>
  /** The configured one. No form of a payment offers more, for its parents' sake or when it is raised (BITCOIN-11). */
  readonly ceiling: FeeRate
}>()("causeway/adapters/bitcoin/BitcoinRates") {}
