/** A store that was restored from a backup pays nothing twice, and nothing vanishes. */
import { assert, describe, it } from "@effect/vitest"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { anyStrategyNames } from "../adversaries/Strategies.ts"
import type { Fault } from "../Faults.ts"
import { flowNames } from "../flows/Flows.ts"
import { readSettings } from "../Service.ts"
import { simulate } from "../World.ts"

describe("a store that goes back to a backup", () => {
  it("pays nothing twice, whatever was paid since", async () => {
    const environment = await readSettings()
    const faults = new Set<Fault>(["backup-restored"])
    // 19: dust came before the deposit that was filled. 24: one of two equal deposits was refunded since.
    const seeds = [19, 24, ...Array.from({ length: inputs(1, 300) }, (_, nth) => 100 + nth)]
    for (const seed of seeds) {
      const { broken, history } = await simulate({
        seed,
        faults,
        flows: new Set(flowNames),
        adversary: new Set(anyStrategyNames),
        floor: "model",
        environment
      })
      assert.deepStrictEqual(broken, [], `seed ${seed}\n${history.join("\n")}`)
      if (seed < 100) assert.include(history.join("\n"), "the store is restored from its backup")
    }
  })
})
