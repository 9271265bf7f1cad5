/**
 * How much of a long run is tried: everything at night, a fraction in CI's sample of it. The tree's hash decides which.
 */

/** The variable that tells a run's workers to try one in this many; without it everything is tried. */
export const RUN_THINNED = "CAUSEWAY_THINNED"

const runThinned = (): number => Math.max(1, Number(process.env[RUN_THINNED] ?? 1))

/**
 * The variable that selects which part a run's workers try, from 0 up to but not including 1. Set it to what a run
 * printed to try the same part again.
 */
export const RUN_TURN = "CAUSEWAY_TURN"

const runTurn = (): number => Number(process.env[RUN_TURN] ?? 0)

/** How many of `all` cases a long run tries, at least one. */
export const partOf = (all: number, thinned = runThinned()): number => Math.ceil(all / thinned)

/**
 * The elements of a list that a long run tries, spread over the whole list. `turn` selects them, so that different runs
 * cover all of them.
 */
export const chosenOf = <A>(all: ReadonlyArray<A>, turn = runTurn(), thinned = runThinned()): ReadonlyArray<A> => {
  const count = partOf(all.length, thinned)
  return Array.from({ length: count }, (_, index) => all[Math.floor((index + turn) * all.length / count)]).filter((
    each
  ) => each !== undefined)
}
