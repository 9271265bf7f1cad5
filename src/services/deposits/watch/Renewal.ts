/**
 * When the places of a chain are written that a restart begins from: the scan's cursor, and the final block that a halt
 * is judged by. With each block while anybody waits for something on the chain, and for some seconds after; otherwise
 * every few seconds, so an idle chain costs its head and little more.
 *
 * SECURITY (QUORUM-13): an action that relies on a final block is preceded by a look of somebody who waits. So that
 * block, or a later one, is remembered as soon as it would be if each were. What is only known in memory holds no
 * deposit, and nothing of ours was final in it.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { Followers } from "../../following/Followers.ts"

const EVERY = Duration.toMillis(Duration.seconds(5))

export const makeRenewal = (chain: Chain) => {
  let renewedAt: number | undefined
  return {
    /** Whether a look that begins now has to write what it finds. */
    isDue: Effect.gen(function*() {
      const followers = yield* Followers
      const waitedAt = yield* followers.waitedAt(chain)
      const now = yield* Clock.currentTimeMillis
      const isRecent = (at: number | undefined) => at !== undefined && now >= at && now - at < EVERY
      return isRecent(waitedAt) || !isRecent(renewedAt)
    }),
    /** A look that began then has written what it found. */
    note: (at: number): void => {
      renewedAt = at
    }
  }
}
