import { defineConfig } from "vitest/config"
import { RUN_SEED } from "./scripts/testing/Seed.ts"

/**
 * What a mutant has to survive: the tests and laws of the mutated folders, with a fixed seed, so that a run can be
 * repeated.
 */
export default defineConfig({
  test: {
    include: [
      "src/domain/{sponsorship,ledger,quorum}/*.test.ts",
      "src/domain/quote/**/*.test.ts",
      "property-tests/{Sponsorship,Ledger,Quorum,Peers,Pricing}*.prop.test.ts"
    ],
    exclude: ["**/*.ref.test.ts", "**/*.long.test.ts"],
    env: { [RUN_SEED]: "20260101" },
    setupFiles: ["./scripts/testing/SeededInputs.ts"],
    testTimeout: 60_000
  }
})
