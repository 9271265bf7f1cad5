/** The simulated world with a Bitcoin chain beside the ledgers: the real adapter, over nodes and an explorer in memory. */
import { assert, describe, it } from "@effect/vitest"
import { inputs, tally } from "../../../scripts/testing/Tally.ts"
import { anyStrategyNames } from "../adversaries/Strategies.ts"
import type { AnyStrategy } from "../adversaries/Strategies.ts"
import { faultNames } from "../Faults.ts"
import type { Fault } from "../Faults.ts"
import { flowNames } from "../flows/Flows.ts"
import type { Flow } from "../flows/Flows.ts"
import { readSettings } from "../Service.ts"
import { bitcoin } from "../Terms.ts"
import { simulate } from "../World.ts"
import type { Floor } from "../World.ts"

/** The flows at the time when a seed failed. Later ones would give it another history. */
const earlyFlows: ReadonlySet<Flow> = new Set<Flow>(["sponsored", "app-fees", "sends", "addresses"])

describe("the simulated world with Bitcoin", () => {
  it("moves money in both directions, and refunds, on both floors alike", async () => {
    const environment = await readSettings("bitcoin")
    const run = (floor: Floor) => simulate({ seed: 1, faults: new Set(), families: "bitcoin", floor, environment })
    const [first, second] = [await run("full"), await run("model")]
    for (const { answers, broken } of [first, second]) {
      assert.deepStrictEqual(broken, [])
      const all = answers.join("\n")
      assert.match(all, new RegExp(`of ${bitcoin} on bitcoin for ldg.*filled`, "u"))
      assert.match(all, new RegExp(`for ${bitcoin}: filled`, "u"))
      assert.match(all, new RegExp(`refunded \\d+ of ${bitcoin}`, "u"))
    }
    assert.deepStrictEqual(first.answers, second.answers)
  })

  it("is a function of its seed: the same history, byte for byte", async () => {
    const environment = await readSettings("all")
    const run = async () => {
      const { history, log } = await simulate({
        seed: 7,
        faults: new Set(faultNames),
        families: "all",
        floor: "model",
        environment
      })
      return [...history, ...log].join("\n")
    }
    assert.strictEqual(await run(), await run())
  })

  it("follows a sweep that one process has signed when another one found its address empty (ADDRESS-18)", async () => {
    const { broken } = await simulate({
      seed: 2_111_962,
      faults: new Set(faultNames),
      flows: earlyFlows,
      families: "bitcoin",
      floor: "model",
      environment: await readSettings("bitcoin"),
      adversary: new Set(anyStrategyNames)
    })
    assert.deepStrictEqual(broken, [])
  })

  it("pays a fill that its recipient has pinned, once an operator allows a higher fee", async () => {
    const { broken, history } = await simulate({
      seed: 2_112_731,
      faults: new Set(faultNames),
      flows: earlyFlows,
      families: "bitcoin",
      floor: "model",
      environment: await readSettings("bitcoin"),
      adversary: new Set(anyStrategyNames)
    })
    assert.deepStrictEqual(broken, [])
    assert.include(history.join("\n"), "an operator raises MAX_FEE_FACTOR to 100")
  })

  it("tells an operator at once of fills whose replacement would have to pay for more than it may (BITCOIN-11)", async () => {
    const { broken, history, log } = await simulate({
      seed: 12,
      faults: new Set<Fault>(["fee-spike", "blocks-full"]),
      flows: new Set(flowNames),
      families: "bitcoin",
      floor: "model",
      environment: await readSettings("bitcoin"),
      adversary: new Set<AnyStrategy>(["spends-payments"])
    })
    assert.deepStrictEqual(broken, [])
    assert.include(log.join("\n"), "its fee is at the limit")
    assert.include(history.join("\n"), "an operator raises MAX_FEE_FACTOR")
  })

  it("keeps its laws while everything goes wrong and an adversary plays", async () => {
    const environment = await readSettings("bitcoin")
    const [faults, adversary] = [new Set(faultNames), new Set(anyStrategyNames)]
    const seeds = inputs(5, 1_000)
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { broken, history, struck } = await simulate({
        seed,
        faults,
        families: "bitcoin",
        floor: "model",
        environment,
        adversary
      })
      assert.deepStrictEqual(
        broken,
        [],
        `npm run simulate -- --families bitcoin --floor model --seed ${seed}\n${history.join("\n")}`
      )
      for (const [name, times] of struck) tally(name, times)
    }
  })
})
