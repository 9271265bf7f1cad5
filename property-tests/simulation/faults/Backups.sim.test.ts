/** A store that was restored from a backup pays nothing twice, and nothing vanishes. */
import { assert, describe, it } from "@effect/vitest"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { anyStrategyNames } from "../adversaries/Strategies.ts"
import { faultNames } from "../Faults.ts"
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

  it("keeps its laws while everything else goes wrong, too", async () => {
    const environment = await readSettings()
    const seeds = {
      163_534_708: "the excess of one deposit and the refund of another one are equal but for the gas",
      163_534_669: "sequences are used up again, at another fee",
      100_097: "a refund on the destination is known to the lost books alone",
      100_098: "the solver's own account is the recipient of a fill",
      100_226: "the deposit of a fill is dropped by a reorg, and the store has forgotten both",
      100_242: "an endpoint names a sequence that was used up as the next one",
      190_481_734: "no fill earns what the sequences cost that are used up",
      700_092: "a reorg has moved the deposit of a signed fill, whose sequence the restored store waits for",
      200_031: "the refund of a deposit on the wrong chain is almost the fill",
      100_286: "who pays the fees of a sponsored fill is forgotten"
    }
    for (const [seed, why] of Object.entries(seeds)) {
      const { broken, history } = await simulate({
        seed: Number(seed),
        faults: new Set(faultNames),
        flows: new Set(flowNames),
        adversary: new Set(anyStrategyNames),
        floor: "model",
        environment
      })
      assert.deepStrictEqual(broken, [], `seed ${seed}: ${why}\n${history.join("\n")}`)
      assert.include(history.join("\n"), "the store is restored from its backup")
    }
  })

  it("returns what was swept from an address under a later request that it has forgotten", async () => {
    const faults: ReadonlyArray<Fault> = [
      "backup-restored",
      "reorg",
      "reorg-drops",
      "reorg-deepest",
      "kill",
      "node-hides"
    ]
    const { broken, history, log } = await simulate({
      seed: 7_003,
      faults: new Set(faults),
      flows: new Set(flowNames),
      adversary: new Set(anyStrategyNames),
      floor: "model",
      environment: await readSettings()
    })
    assert.deepStrictEqual(broken, [], history.join("\n"))
    assert.include(log.join("\n"), "under a forgotten order goes back")
  })

  it("does not return what was swept on one chain under a forgotten request that was filled on the other (RESTORE-2)", async () => {
    const { broken, history, log } = await simulate({
      seed: 12,
      faults: new Set<Fault>(["backup-restored"]),
      flows: new Set(flowNames),
      adversary: new Set(["strict-again"] as const),
      floor: "model",
      environment: await readSettings()
    })
    assert.deepStrictEqual(broken, [], history.join("\n"))
    const told = log.join("\n")
    // The later deposit was swept on beta. Its fill on alpha was found, and nobody knows its request.
    assert.match(told, /on alpha paid 13936465 .* which no record of this store explains/u)
    assert.match(told, /a deposit names no request of ours 0x17e1709f/u)
    assert.notInclude(told, "under a forgotten order goes back")
  })
})
