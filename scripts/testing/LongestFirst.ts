/**
 * The order of suites when nothing is known of earlier runs, as in a clean clone. By default Vitest starts with the
 * largest files, so that small but long suites would run alone at the end.
 */
import type { TestSpecification } from "vitest/node"
import { BaseSequencer } from "vitest/node"

/** Suites that take most of a minute: processes that are killed again and again, database servers, waits by the clock. */
const LONG = new RegExp(
  `/crash/|/(?:${
    [
      "Addresses",
      "DepositAddresses",
      "Fees",
      "Fills",
      "Halt",
      "IdleStatements",
      "Journey",
      "Postgres",
      "Quorum",
      "Restore",
      "RevertingCalls",
      "Scenarios",
      "Settling",
      "WorkflowEngine"
    ].join("|")
  })\\.[a-z.]*test\\.ts$`,
  "u"
)

const turnOf = ({ moduleId }: TestSpecification): number => LONG.test(moduleId) ? 0 : 1

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    // oxlint-disable-next-line unicorn/no-array-sort -- Vitest's own method, which makes a new list
    return (await super.sort(files)).toSorted((one, other) => turnOf(one) - turnOf(other))
  }
}
