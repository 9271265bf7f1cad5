/** How much of a long run is tried: all of it by night, one in so many in CI's sample of it; which ones the tree decides. */

/** The variable that tells a run's workers to try one in so many; without it everything is tried. */
export const RUN_THINNED = "CAUSEWAY_THINNED"

const runThinned = (): number => Math.max(1, Number(process.env[RUN_THINNED] ?? 1))

/**
 * The variable that tells a run's workers whose turn it is, from 0 up to and without 1: set it to what a run printed, to
 * try the same again.
 */
export const RUN_TURN = "CAUSEWAY_TURN"

const runTurn = (): number => Number(process.env[RUN_TURN] ?? 0)

/** How many of so many a long run tries, at least one. */
export const partOf = (all: number, thinned = runThinned()): number => Math.ceil(all / thinned)

/**
 * Those of a list that a long run tries, spread over all of it; which ones depends on `turn`, so that each has its turn
 * in one run or another.
 */
export const chosenOf = <A>(all: ReadonlyArray<A>, turn = runTurn(), thinned = runThinned()): ReadonlyArray<A> => {
  const count = partOf(all.length, thinned)
  return Array.from({ length: count }, (_, index) => all[Math.floor((index + turn) * all.length / count)]).filter((
    each
  ) => each !== undefined)
}
