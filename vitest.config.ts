import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { familiesReporter } from "./scripts/testing/FamiliesReporter.ts"
import { LongestFirst } from "./scripts/testing/LongestFirst.ts"
import { RUN_SEED, runSeed, seedOfTree } from "./scripts/testing/Seed.ts"
import { stallReporter } from "./scripts/testing/StallReporter.ts"
import { isLong } from "./scripts/testing/Tally.ts"
import { tallyReporter } from "./scripts/testing/TallyReporter.ts"

const roots = "{src,ports,adapters,hosts,property-tests,scripts,examples/*}"

// The long run repeats only the kinds of suites that grow with CAUSEWAY_LONG=1.
// Far above what the longest test takes on a busy machine: what waits in a test says itself, earlier, what never came.
const testTimeout = isLong ? 1_800_000 : 600_000
const kinds = isLong ? "*.{prop,ref,sim,fuzz}.test.ts" : "*.test.ts"
const processes = isLong ? "*.long.test.ts" : "*.local.test.ts"

const seed = runSeed() ?? (isLong ? undefined : seedOfTree(import.meta.dirname))

export default defineConfig({
  test: {
    env: seed === undefined ? {} : { [RUN_SEED]: `${seed}` },
    setupFiles: ["./scripts/testing/SeededInputs.ts"],
    testTimeout,
    hookTimeout: 600_000,
    projects: [
      // Suites of functions share a worker and what it has loaded: loading Effect and viem anew for each took a third
      // of their time.
      {
        extends: true,
        test: {
          name: "functions",
          include: [`${roots}/**/${kinds}`],
          exclude: ["**/node_modules/**", "**/*.{local,long}.test.ts"],
          isolate: false,
          // What they do most is compute.
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 0 }
        }
      },
      // So do suites of hosts and chains, each with chains of its own: a host within the test's process starts four
      // times as fast where another has run.
      {
        extends: true,
        test: {
          name: "processes",
          include: [`${roots}/**/${processes}`],
          exclude: ["**/node_modules/**"],
          isolate: false,
          // What they do most is wait for blocks: a worker takes a third of a core, and up to a gigabyte.
          maxWorkers: Math.min(availableParallelism() * 3, 12),
          sequence: { groupOrder: 1 }
        }
      }
    ],
    sequence: { sequencer: LongestFirst },
    reporters: [
      "default",
      familiesReporter({ root: import.meta.dirname, page: "docs/families.md" }),
      tallyReporter(),
      ...(isLong ? [] : [stallReporter()])
    ]
  }
})
