/**
 * A law: a property that an implementation must have, and a check that searches for a counterexample.
 *
 * A check needs no test runner. It returns when it found no counterexample in `runs` inputs. Otherwise it throws
 * fast-check's report, with the shrunk counterexample and the seed that reproduces it. Examples are tests, not laws.
 *
 * In your own suite: `for (const { name, check } of sponsorshipLaws(theirSplit)) it(name, () => check(10_000))`.
 */
import * as fc from "fast-check"

/** A named property that must hold for every input. It runs without a test runner. */
export interface Law {
  readonly name: string
  /** Tries `runs` inputs. The same `seed` tries the same inputs. */
  readonly check: (runs: number, seed?: number) => void
}

/** The law that a property holds. The property fails by throwing or by returning false. */
export const law = <Ts>(name: string, property: fc.IProperty<Ts>): Law => ({
  name,
  check: (runs, seed) => fc.assert(property, { numRuns: runs, ...(seed === undefined ? {} : { seed }) })
})

/** Checks one part of a law: throws `says` when `holds` is false, which fast-check reports as a counterexample. */
export const must = (holds: boolean, says: string): void => {
  if (!holds) throw new Error(says)
}
