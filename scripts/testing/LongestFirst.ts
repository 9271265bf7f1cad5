/**
 * The order of suites when nothing is known of earlier runs, as in a clean clone. By default Vitest starts with the
 * largest files, so that small but long suites would run alone at the end.
 */
import type { TestSpecification } from "vitest/node"
import { BaseSequencer } from "vitest/node"

/** Suites that take a minute or two each: processes that are killed again and again, and database servers. */
const LONG = /\/crash\/|\/Postgres\.local\.test\.ts$/u

/** Suites of functions always come first, because they share workers. */
const turnOf = ({ moduleId, project }: TestSpecification): number =>
  project.name === "functions" ? 0 : LONG.test(moduleId) ? 1 : 2

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    // oxlint-disable-next-line unicorn/no-array-sort -- Vitest's own method, which makes a new list
    return (await super.sort(files)).toSorted((one, other) => turnOf(one) - turnOf(other))
  }
}
