/**
 * A law: a sentence that an implementation must keep, and a check that looks for a counterexample.
 *
 * A check needs no test runner: it returns when it found none in `runs` inputs and otherwise throws fast-check's
 * report, with the shrunk counterexample and the seed that leads to it again. Not for examples: those are tests.
 *
 * In anybody's suite: `for (const { name, check } of sponsorshipLaws(theirSplit)) it(name, () => check(10_000))`.
 */
import * as fc from "fast-check"

export interface Law {
  readonly name: string
  /** Tries `runs` inputs; the same `seed` tries the same ones. */
  readonly check: (runs: number, seed?: number) => void
}

/** The law that a property holds; the property states it by throwing or by returning false. */
export const law = <Ts>(name: string, property: fc.IProperty<Ts>): Law => ({
  name,
  check: (runs, seed) => fc.assert(property, { numRuns: runs, ...(seed === undefined ? {} : { seed }) })
})

/** States a part of a law: throws `says` when `holds` is false, which is how fast-check learns of a counterexample. */
export const must = (holds: boolean, says: string): void => {
  if (!holds) throw new Error(says)
}
