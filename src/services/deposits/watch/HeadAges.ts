/**
 * The age of the newest block of each chain by this machine's clock, also while no new block is seen: a stalled chain
 * and unreachable endpoints look the same here, and both ages grow.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Head } from "../../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { noteHead, noteHeadAge } from "../../operations/Meters.ts"
import { poll } from "../../polling/Poll.ts"

const EVERY = Duration.seconds(5)

export interface HeadAges {
  /** Records the head that a scan saw and how far the scan came, both in blocks. */
  readonly note: (chain: Chain, head: Head, scanned: bigint) => Effect.Effect<void>
  /** Reports the ages for as long as it runs. */
  readonly tell: Effect.Effect<never>
}

/** Ages of all chains' newest blocks, as gauges. */
export const makeHeadAges = Effect.sync((): HeadAges => {
  /** The newest block's own time, seconds. */
  const newest = new Map<string, number>()
  const tellOne = Effect.fnUntraced(function*(slug: string, time: number) {
    const now = (yield* Clock.currentTimeMillis) / 1000
    yield* noteHeadAge(slug, Math.max(0, Math.round(now - time)))
  })
  return {
    note: Effect.fnUntraced(function*({ slug }, { height, time }, scanned) {
      newest.set(slug, time)
      yield* noteHead(slug, height, scanned)
      yield* tellOne(slug, time)
    }),
    tell: Effect.suspend(() => Effect.forEach([...newest], ([slug, time]) => tellOne(slug, time), { discard: true }))
      .pipe(poll("ages of heads", EVERY))
  }
})
