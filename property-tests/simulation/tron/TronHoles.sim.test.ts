/** The simulation finds what is planted into the adapter of Tron: each hole by its first seed. */
import { assert, describe, it } from "@effect/vitest"
import { parseFaults } from "../Faults.ts"
import type { Planted } from "../holes/Hole.ts"
import { readSettings } from "../Service.ts"
import { simulate } from "../World.ts"
import { tronHoles } from "./TronHoles.ts"

describe("a hole planted on Tron is found", () => {
  for (const [name, { faults, hole, says, seed }] of Object.entries<Planted>(tronHoles)) {
    it(name, async () => {
      const { broken } = await simulate({
        seed,
        faults: parseFaults(faults) ?? new Set(),
        families: "tron",
        floor: "model",
        boundMs: 600_000,
        environment: await readSettings("tron"),
        hole
      })
      assert.include(broken.join("\n"), says)
    })
  }
})
