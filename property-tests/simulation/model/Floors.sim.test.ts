/** The model floor: the same world over a store and an engine in memory, with many more seeds in the same time. */
import { assert, describe, it } from "@effect/vitest"
import { inputs, tally } from "../../../scripts/testing/Tally.ts"
import { strategyNames } from "../adversaries/Strategies.ts"
import type { Strategy } from "../adversaries/Strategies.ts"
import { faultNames } from "../Faults.ts"
import type { Fault } from "../Faults.ts"
import { flowNames } from "../flows/Flows.ts"
import { readSettings } from "../Service.ts"
import { simulate } from "../World.ts"

/**
 * These strike by virtual time alone. Others strike by the count of statements or requests, which floors do not share.
 */
const timed: ReadonlySet<Fault> = new Set([
  "node-silent",
  "node-stale",
  "reorg",
  "reorg-drops",
  "fee-spike",
  "chain-halts",
  "treasury-empty"
])

describe("the model floor", () => {
  it("answers every order as the full floor does, to the unit", async () => {
    const environment = await readSettings()
    const seeds = inputs(2, 50)
    for (let seed = 1; seed <= seeds; seed += 1) {
      const flows = new Set(flowNames)
      const model = await simulate({ seed, faults: timed, flows, floor: "model", environment })
      const full = await simulate({ seed, faults: timed, flows, floor: "full", environment })
      assert.isNotEmpty(model.answers)
      assert.deepStrictEqual(model.answers, full.answers, `seed ${seed}`)
    }
  })

  it("is a function of its seed: the same history, byte for byte", async () => {
    const environment = await readSettings()
    const run = async () => {
      const { history, log } = await simulate({ seed: 7, faults: new Set(faultNames), floor: "model", environment })
      return [...history, ...log].join("\n")
    }
    assert.strictEqual(await run(), await run())
  })

  it("keeps its laws while everything goes wrong", async () => {
    const environment = await readSettings()
    const faults = new Set(faultNames)
    const adversary = new Set(strategyNames)
    const flows = new Set(flowNames)
    const seeds = inputs(5, 2_000)
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { broken, history, struck } = await simulate({
        seed,
        faults,
        flows,
        adversary,
        floor: "model",
        environment
      })
      assert.deepStrictEqual(
        broken,
        [],
        `npm run simulate -- --floor model --seed ${seed} --faults ${[...faults].join(",")}\n${history.join("\n")}`
      )
      for (const [name, times] of struck) tally(name, times)
    }
  })

  it("answers every deposit although its process is killed again and again", async () => {
    const environment = await readSettings()
    const { broken, struck } = await simulate({ seed: 2, faults: new Set(["kill"]), floor: "model", environment })
    assert.deepStrictEqual(broken, [])
    assert.isAbove(struck.get("kill") ?? 0, 1)
  })

  it("answers every deposit although the solver lacks money, because an operator refills it after the alarm", async () => {
    const environment = await readSettings()
    const poor = await simulate({ seed: 20, faults: new Set(["treasury-empty"]), floor: "model", environment })
    assert.deepStrictEqual(poor.broken, [])
    assert.include(poor.history.join("\n"), "an operator sends")
    // Refunds of other deposits leave too little on the deposit's chain, too.
    const faults = new Set(faultNames)
    const adversary = new Set(strategyNames)
    const { broken } = await simulate({ seed: 1071, faults, adversary, floor: "model", environment })
    assert.deepStrictEqual(broken, [])
  })

  it("refunds a filled deposit that comes back after another one of its order has got its payment", async () => {
    const environment = await readSettings()
    const faults = new Set<Fault>(["reorg-drops", "reorg-deepest"])
    const adversary = new Set<Strategy>(["comes-back"])
    const { broken, log } = await simulate({ seed: 43, faults, adversary, floor: "model", environment })
    assert.deepStrictEqual(broken, [])
    // That it was declared gone shows that the seed still reaches the case.
    assert.include(log.join("\n"), "that was filled is no longer on the chain")
  })
})
