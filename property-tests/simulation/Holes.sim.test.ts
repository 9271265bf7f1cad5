/** The simulation finds what is planted: each hole within a few seeds. */
import { assert, describe, it } from "@effect/vitest"
import { parseFaults } from "./Faults.ts"
import { holes } from "./Holes.ts"
import { readSettings } from "./Service.ts"
import { simulate } from "./World.ts"

/** The faults that a hole needs, so that few seeds are enough, and what the simulation says of it. */
const found = {
  sentBeforeStored: { faults: "none", seed: 1, says: "before it is stored" },
  givenUp: { faults: "pool-drops", seed: 1, says: "is open" },
  scanReadsOn: { faults: "reorg", seed: 1, says: "is not noticed" }
} as const

describe("a planted hole is found", () => {
  for (const name of ["sentBeforeStored", "givenUp", "scanReadsOn"] as const) {
    it(name, async () => {
      const { faults, says, seed } = found[name]
      const { broken } = await simulate({
        seed,
        faults: parseFaults(faults) ?? new Set(),
        environment: await readSettings(),
        hole: holes[name]
      })
      assert.include(broken.join("\n"), says)
    })
  }
})
