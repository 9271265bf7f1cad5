/**
 * When an endpoint that contradicts its quorum is left out (QUORUM-6): at once if no later block can explain the
 * difference, otherwise once it has lasted.
 *
 * Honest nodes differ for a moment after every block and every short fork, and must not be left out for that.
 */

/** An unbroken run of contradictions of one endpoint. */
export interface Contradicting {
  /** Milliseconds: when the run began. */
  readonly since: number
  readonly times: number
}

/** How many contradictions in a row are needed, and over how many block times they must last. */
const TIMES = 3
const BLOCKS = 3

/** Milliseconds that they must last on any chain: a block takes as long to other nodes, however soon the next one comes. */
const LEAST_MS = 3_000

/** Whether the endpoint is left out of single reads now, or watched further (QUORUM-6). */
export type ContradictionVerdict =
  | { readonly _tag: "LeaveOut" }
  | { readonly _tag: "Watch"; readonly run: Contradicting }

/**
 * Judges one more contradiction. `run`: those before it; undefined when the endpoint last agreed. `now` in
 * milliseconds.
 */
export const judgeContradiction = (
  run: Contradicting | undefined,
  conclusive: boolean,
  blockTimeMs: number,
  now: number
): ContradictionVerdict => {
  const since = run?.since ?? now
  const times = (run?.times ?? 0) + 1
  const lasted = times >= TIMES && now - since >= Math.max(BLOCKS * blockTimeMs, LEAST_MS)
  return conclusive || lasted ? { _tag: "LeaveOut" } : { _tag: "Watch", run: { since, times } }
}
