import { defineConfig } from "vitest/config"

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
    setupFiles: ["scripts/mutation/FixedSeed.ts"],
    testTimeout: 60_000
  }
})
