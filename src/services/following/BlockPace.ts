/**
 * Until when a chain needs no look for its next block, learnt from the blocks that were seen: a part of the shortest
 * time between two of the last ones. So a chain whose blocks are regular is asked shortly before its next block, and one
 * whose blocks come at any time is asked all the time.
 */
import * as Duration from "effect/Duration"
import type { Chain } from "../../domain/chain/Chain.ts"

/** A pace is known after so many blocks of one chain, none of which replaced another. */
const KNOWN_AFTER = 16

/** Seen times differ from the blocks' own by up to a poll interval, so the rest ends before the block is due. */
const PART = 0.75

/** However slow a chain is: its next block may be early. */
const MOST = Duration.toMillis(Duration.seconds(10))

export interface BlockPace {
  /** The newest block of the chain is at this height. `at`: milliseconds, when it was first seen. */
  readonly note: (height: bigint, at: number) => void
  /** Milliseconds. In the past while blocks come at any time. */
  readonly calmUntil: () => number
}

/** A chain is never believed to be slower than it is configured to be. */
export const makeBlockPace = ({ blockTimeMs }: Chain): BlockPace => {
  let gaps: ReadonlyArray<number> = []
  let last: { readonly height: bigint; readonly at: number } | undefined
  return {
    note: (height, at) => {
      if (last !== undefined && height > last.height && at >= last.at) {
        gaps = [...gaps, (at - last.at) / Number(height - last.height)].slice(-KNOWN_AFTER)
      } else gaps = []
      last = { height, at }
    },
    calmUntil: () =>
      last === undefined || gaps.length < KNOWN_AFTER
        ? -Infinity
        : last.at + Math.min(MOST, Math.min(blockTimeMs, ...gaps) * PART)
  }
}
