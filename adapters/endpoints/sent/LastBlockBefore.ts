/**
 * Finds a chain's last block before a time, by halving the heights up to its newest block. A chain whose times may go
 * back a little gives a block near it: whoever asks looks at more blocks than it needs.
 */
import { Effect } from "effect"

/** `time` in milliseconds; `timeOf`: a block's time in seconds, by its height. −1 when no block is before it. */
export const lastBlockBefore = Effect.fnUntraced(function*<E, R>(
  newest: bigint,
  time: number,
  timeOf: (height: bigint) => Effect.Effect<number, E, R>
): Effect.fn.Return<bigint, E, R> {
  let [before, from] = [-1n, newest + 1n]
  // Blocks up to `before` are earlier, blocks from `from` on are not.
  while (from - before > 1n) {
    const middle = (before + from) / 2n
    if ((yield* timeOf(middle)) * 1_000 < time) before = middle
    else from = middle
  }
  return before
})
