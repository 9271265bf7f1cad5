/**
 * The order of suites where nothing is known of earlier runs, as in a clean clone: Vitest then begins with the largest
 * files, so that suites that are small and long would run alone at the end.
 */
import type { TestSpecification } from "vitest/node"
import { BaseSequencer } from "vitest/node"

/** They take a minute or two each: processes that are killed again and again, and servers of databases. */
const LONG = /\/crash\/|\/Postgres\.local\.test\.ts$/u

/** Suites of functions go first in any case: they share workers. */
const turnOf = ({ moduleId, project }: TestSpecification): number =>
  project.name === "functions" ? 0 : LONG.test(moduleId) ? 1 : 2

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    // oxlint-disable-next-line unicorn/no-array-sort -- Vitest's own method, which makes a new list
    return (await super.sort(files)).toSorted((one, other) => turnOf(one) - turnOf(other))
  }
}
