/**
 * The order of suites when nothing is known of earlier runs, as in a clean clone. By default Vitest starts with the
 * largest files, so that small but long suites would run alone at the end.
 */
import type { TestSpecification } from "vitest/node"
import { BaseSequencer } from "vitest/node"

/** Suites that take most of a minute, the longest first: all families, processes that are killed, database servers. */
export const LONGEST: ReadonlyArray<string> = [
  "matrix/Matrix.local",
  "run/Journey.local",
  "operations/Postgres.local",
  "cluster/WorkflowEngine",
  "bitcoin/Restore.local",
  "settling/Settling.local",
  "deposit-addresses/SolanaAddresses.local",
  "misbehaviour/Halt.local",
  "crash/Crash.local",
  "solana/SwappedFills.local",
  "tron/Addresses.local",
  "exchange-a/Addresses.local",
  "sponsorship/Fills.local",
  "api/Quorum.local",
  "run/Launch.local",
  "sponsorship/Addresses.local",
  "e2e/Secrets.local",
  "scenarios/Scenarios.local",
  "bitcoin/Workers.local",
  "api/Page.local",
  "solana/SwappedDeposits.local",
  "cli/Programs.local",
  "bitcoin/Addresses.local",
  "misbehaviour/Fees.local",
  "deposit-addresses/Dust.local"
]

const turnOf = ({ moduleId }: TestSpecification): number => {
  const turn = LONGEST.findIndex((each) => moduleId.endsWith(`/${each}.test.ts`))
  if (turn !== -1) return turn
  return moduleId.includes("/crash/") ? LONGEST.length : LONGEST.length + 1
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    // oxlint-disable-next-line unicorn/no-array-sort -- Vitest's own method, which makes a new list
    return (await super.sort(files)).toSorted((one, other) => turnOf(one) - turnOf(other))
  }
}
