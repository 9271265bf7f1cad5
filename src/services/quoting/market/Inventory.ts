/**
 * Periodically reads what the solver holds on every chain, in every configured currency, exports it as metrics, and
 * compares it with the low-water marks.
 *
 * It runs in its own loop, so that a scrape of the metrics costs no call to a chain. A place that cannot be read keeps
 * its last value and delays no other chain. It decides nothing.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { readHoldings } from "./Holdings.ts"
import { makeLowWaterGuard } from "../../operations/LowWater.ts"
import { noteInventory } from "../../operations/Meters.ts"
import { payingChains } from "./PayingChains.ts"
import { poll } from "../../polling/Poll.ts"

const EVERY = Duration.seconds(15)

const watch = (chain: Chain) => {
  const guardLowWater = makeLowWaterGuard()
  const look = Effect.gen(function*() {
    const { failures: [failure], held } = yield* readHoldings(chain)
    yield* Effect.forEach(held, noteInventory, { discard: true })
    yield* guardLowWater(held)
    if (failure !== undefined) return yield* Effect.fail(failure)
  })
  return look.pipe(poll(`inventory of ${chain.slug}`, EVERY))
}

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  yield* Effect.forEach(yield* payingChains, (chain) => Effect.forkScoped(watch(chain)), { discard: true })
}))
