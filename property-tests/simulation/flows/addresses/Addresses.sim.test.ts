/** Deposit addresses in the simulated world: `npm run simulate -- --flows addresses` runs as many seeds as you like. */
import { assert, describe, it } from "@effect/vitest"
import { inputs, tally } from "../../../../scripts/testing/Tally.ts"
import type { Plan } from "../../adversaries/Moves.ts"
import { anyStrategyNames } from "../../adversaries/Strategies.ts"
import { faultNames } from "../../Faults.ts"
import type { Fault } from "../../Faults.ts"
import { readSettings } from "../../Service.ts"
import { floors, simulate } from "../../World.ts"
import { flowNames } from "../Flows.ts"
import type { Flow } from "../Flows.ts"

const addresses = new Set<Flow>(["addresses"])

describe("deposit addresses", () => {
  it("are swept and answered alike on both floors, to the unit", async () => {
    const environment = await readSettings()
    const faults = new Set<Fault>(["node-silent", "reorg", "reorg-drops", "fee-spike", "chain-halts"])
    const seeds = inputs(1, 20)
    for (let seed = 1; seed <= seeds; seed += 1) {
      const [model, full] = [
        await simulate({ seed, faults, flows: addresses, floor: "model", environment }),
        await simulate({ seed, faults, flows: addresses, floor: "full", environment })
      ]
      assert.isTrue(model.history.some((event) => event.includes(" at open ")))
      assert.deepStrictEqual(model.answers, full.answers, `seed ${seed}`)
    }
  })

  it("keep all laws while everything goes wrong and an adversary pays there", async () => {
    const environment = await readSettings()
    const faults = new Set(faultNames)
    const seeds = inputs(3, 1_000)
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { broken, history, struck } = await simulate({
        seed,
        faults,
        flows: new Set(flowNames),
        adversary: new Set(anyStrategyNames),
        floor: "model",
        environment
      })
      assert.deepStrictEqual(broken, [], `npm run simulate -- --floor model --seed ${seed}\n${history.join("\n")}`)
      for (const [name, times] of struck) tally(name, times)
    }
  })

  it("are swept once, however often anybody has them reindexed", async () => {
    const environment = await readSettings()
    const flood: Plan = [
      { do: "wait", seconds: 35 },
      { do: "borrow", of: "address" },
      { do: "reindex", chain: "asked", times: 10_000 },
      { do: "wait", seconds: 30 },
      { do: "reindex", chain: "other", times: 100 }
    ]
    const { broken, history } = await simulate({
      seed: 1,
      faults: new Set(),
      flows: addresses,
      plans: [flood],
      floor: "model",
      environment
    })
    assert.deepStrictEqual(broken, [])
    assert.isTrue(history.some((event) => event.includes("reindexed 10000 times")))
  })

  it("answer the deposits of a run in which a reorg moved a sweep before the payment that it swept", async () => {
    const environment = await readSettings()
    const faults = new Set<Fault>(["reorg-reorders"])
    for (const floor of floors) {
      assert.deepStrictEqual((await simulate({ seed: 1, faults, flows: addresses, floor, environment })).broken, [])
    }
  })
})
