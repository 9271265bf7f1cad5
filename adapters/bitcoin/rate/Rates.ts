/**
 * The fee rate as nodes and the explorer estimate it (BITCOIN-7), for the configured number of blocks. One node is
 * asked, and the explorer beside it. An explorer that does not answer has no estimate.
 *
 * A rate is kept for a while, because every quote and every payment wants it. Whoever asks while it is read waits for
 * the same answer. A failure is not kept.
 */
import { Cache, Duration, Effect, Exit, Layer, Result, Schema } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { chooseFeeRate, FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import type { FeeBounds, NoFeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { DEADLINE_MS } from "../../quorum/Endpoints.ts"
import { BitcoinExplorer } from "../observe/explorer/BitcoinExplorer.ts"
import { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import type { BitcoinFault } from "../rpc/BitcoinRpc.ts"
import { estimateCall, mempoolCall, resultOf } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { BitcoinRates } from "./BitcoinRates.ts"

export interface RateSettings extends FeeBounds {
  /** Within how many blocks a transaction should be in one. */
  readonly targetBlocks: number
  /** How long a rate is kept. Zero: each question is asked. */
  readonly keptFor: Duration.Duration
}

/** BTC for a thousand virtual bytes, with eight decimals. No node names more than a whole bitcoin. */
const CoreRate = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
/** `feerate` is missing while the node has seen too little. */
const estimateOf = resultOf(Schema.Struct({ feerate: Schema.optionalKey(CoreRate) }))
const mempoolOf = resultOf(Schema.Struct({ mempoolminfee: CoreRate }))

const SATOSHI = 100_000_000

const rateOf = (bitcoin: number): FeeRate => FeeRate(BigInt(Math.round(bitcoin * SATOSHI)))

const readNode = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    targetBlocks: number,
    deadline: number
  ): Effect.fn.Return<{ readonly node: FeeRate | undefined; readonly floor: FeeRate }, BitcoinFault> {
    const [estimate, mempool] = yield* rpc.answers([estimateCall(targetBlocks), mempoolCall], deadline)
    const { feerate } = yield* estimateOf(estimate)
    const { mempoolminfee } = yield* mempoolOf(mempool)
    return { node: feerate === undefined ? undefined : rateOf(feerate), floor: rateOf(mempoolminfee) }
  }
)

/** No rate now. A rate above the ceiling is no fault of the node, and asking again may help. */
const unavailable = ({ slug }: Chain, { _tag }: NoFeeRate) =>
  new ChainUnavailable({
    chain: slug,
    operation: _tag === "AboveCeiling" ? "fee rate, which is above the configured ceiling" : "fee rate",
    kind: _tag === "Disagree" ? "divided" : "refused"
  })

/** The chains that are asked about: few, and always the same ones. */
const CHAINS = 64

export const layer = ({ keptFor, targetBlocks, ...bounds }: RateSettings) =>
  Layer.effect(
    BitcoinRates,
    Effect.gen(function*() {
      const rpc = yield* BitcoinRpc
      const explorer = yield* BitcoinExplorer
      const read = Effect.fn("BitcoinRates.read")(function*(chain: Chain) {
        const [{ floor, node }, other] = yield* Effect.all([
          rpc.call(
            chain,
            "fee rate",
            (client) => client.read((core, deadline) => readNode(core, targetBlocks, deadline))
          ),
          Effect.orElseSucceed(explorer.rateWithin(targetBlocks, DEADLINE_MS), () => undefined)
        ], { concurrency: 2 })
        return yield* Effect.fromResult(
          Result.mapError(
            chooseFeeRate({ node, explorer: other, floor }, bounds),
            (refusal) => unavailable(chain, refusal)
          )
        )
      })
      const kept = yield* Cache.makeWith(read, {
        capacity: CHAINS,
        timeToLive: (exit) => Exit.isSuccess(exit) ? keptFor : Duration.zero
      })
      return BitcoinRates.of({ ceiling: bounds.ceiling, rate: (chain) => Cache.get(kept, chain) })
    })
  )
