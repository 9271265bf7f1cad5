/** The simulation finds what is planted: each hole within a few seeds. */
import { assert, describe, it } from "@effect/vitest"
import { parseStrategies } from "./adversaries/Moves.ts"
import { parseFaults } from "./Faults.ts"
import { holes } from "./Holes.ts"
import { readSettings } from "./Service.ts"
import { simulate } from "./World.ts"

/** The faults that a hole needs, so that few seeds are enough, and what the simulation says of it. */
const found = {
  sentBeforeStored: { faults: "none", seed: 1, says: "before it is stored" },
  givenUp: { faults: "pool-drops", seed: 1, says: "is open" },
  scanReadsOn: { faults: "reorg", seed: 1, says: "is not noticed" },
  anyCurrency: { faults: "none", adversary: "wrong-currency", seed: 1, says: ", received" },
  keepsATenth: { faults: "none", seed: 1, says: "at most" },
  refundsShort: { faults: "none", seed: 1, says: "booked as" }
} as const

describe("a planted hole is found", () => {
  for (
    const name of [
      "sentBeforeStored",
      "givenUp",
      "scanReadsOn",
      "anyCurrency",
      "keepsATenth",
      "refundsShort"
    ] as const
  ) {
    it(name, async () => {
      const { faults, says, seed, ...more } = found[name]
      const { broken } = await simulate({
        seed,
        faults: parseFaults(faults) ?? new Set(),
        environment: await readSettings(),
        adversary: parseStrategies("adversary" in more ? more.adversary : "none") ?? new Set(),
        hole: holes[name]
      })
      assert.include(broken.join("\n"), says)
    })
  }
})
