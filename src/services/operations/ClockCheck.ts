/**
 * Compares this machine's clock with the chains once at start, and logs an error when they disagree (SAFE-7). It stops
 * nothing: a stalled or unreachable chain must not keep the others from being served.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chains } from "../../../ports/chain/Chains.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { clockSkew } from "../../domain/chain/ClockSkew.ts"
import { countStuck } from "./Meters.ts"
import { retryForever } from "../polling/RetryForever.ts"

const check = Effect.fnUntraced(function*(chain: Chain) {
  const watcher = yield* DepositWatcher
  const { time } = yield* watcher.head(chain)
  const skew = clockSkew(Math.floor((yield* Clock.currentTimeMillis) / 1000), time, chain)
  if (skew === "none") return
  yield* countStuck(`clock-${skew}`)
  yield* Effect.logError(
    skew === "behind"
      ? `this machine's clock is behind: ${chain.slug} has a block from its future; set the clock, or prices hold too long`
      : `the newest block of ${chain.slug} is old: either this machine's clock is ahead, or the chain has stopped`
  )
})

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chains = yield* Chains
  yield* Effect.forEach(chains.all, (chain) => Effect.forkScoped(retryForever("clock")(check(chain))), {
    discard: true
  })
}))
