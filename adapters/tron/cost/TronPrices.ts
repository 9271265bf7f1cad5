/**
 * The prices of a Tron chain now (TRON-4), as one node tells them. The chain's representatives vote on them every six
 * hours, so they are kept for a minute.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { TronPrices as Prices } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import { pricesIn } from "../decode/ChainParameters.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import type { TronRead } from "../rpc/TronRpc.ts"

export class TronPrices extends Context.Service<TronPrices, {
  readonly of: (chain: Chain) => Effect.Effect<Prices, ChainUnavailable>
}>()("causeway/adapters/tron/TronPrices") {}

/** Milliseconds. */
const KEPT_FOR = 60_000

/** As one node tells them now. */
export const readPrices: TronRead<Prices> = (node, deadline) =>
  Effect.flatMap(node.wallet("getchainparameters", {}, deadline), (answer) => {
    const prices = pricesIn(answer)
    return prices === undefined ? Effect.fail("undecodable") : Effect.succeed(prices)
  })

interface Kept {
  readonly prices: Prices
  /** Milliseconds. */
  readonly at: number
}

export const layer = Layer.effect(
  TronPrices,
  Effect.map(TronRpc, (rpc) => {
    const kept = new Map<ChainId, Kept>()
    return TronPrices.of({
      of: Effect.fnUntraced(function*(chain) {
        const now = yield* Clock.currentTimeMillis
        const known = kept.get(chain.id)
        if (known !== undefined && now >= known.at && now - known.at < KEPT_FOR) return known.prices
        const prices = yield* rpc.call(chain, "prices", (client) => client.read(readPrices))
        kept.set(chain.id, { prices, at: now })
        return prices
      })
    })
  })
)
