/** The simulation finds what is planted: each hole by its first seed, on the model floor. */
import { assert, describe, it } from "@effect/vitest"
import { parseStrategies } from "../adversaries/Strategies.ts"
import { parseFaults } from "../Faults.ts"
import { parseFlows } from "../flows/Flows.ts"
import { readSettings } from "../Service.ts"
import { simulate } from "../World.ts"
import type { Planted } from "./Hole.ts"
import { holes } from "./Holes.ts"

describe("a planted hole is found", () => {
  for (const [name, planted] of Object.entries<Planted>(holes)) {
    const { adversary = "none", faults, flows = "none", hole, says, seed } = planted
    it(name, async () => {
      const { broken } = await simulate({
        seed,
        faults: parseFaults(faults) ?? new Set(),
        flows: parseFlows(flows) ?? new Set(),
        adversary: parseStrategies(adversary) ?? new Set(),
        floor: "model",
        // Longer than anything that these runs wait for.
        boundMs: 600_000,
        environment: await readSettings(),
        hole
      })
      assert.include(broken.join("\n"), says)
    })
  }
})
