/** Deposit addresses on Bitcoin in the simulated world: `--families bitcoin --flows coin-addresses` runs more seeds. */
import { assert, describe, it } from "@effect/vitest"
import { inputs, tally } from "../../../scripts/testing/Tally.ts"
import { anyStrategyNames, parseStrategies } from "../adversaries/Strategies.ts"
import { faultNames, parseFaults } from "../Faults.ts"
import { flowNames } from "../flows/Flows.ts"
import type { Flow } from "../flows/Flows.ts"
import { addressHoles } from "../holes/AddressHoles.ts"
import { readSettings } from "../Service.ts"
import { floors, simulate } from "../World.ts"
import type { RunOptions } from "../World.ts"

const run = async (options: Partial<RunOptions> & Pick<RunOptions, "seed">) =>
  simulate({
    faults: new Set(),
    families: "bitcoin",
    flows: new Set<Flow>(["coin-addresses"]),
    floor: "model",
    environment: await readSettings("bitcoin"),
    ...options
  })

describe("deposit addresses on Bitcoin", () => {
  it("are swept and answered alike on both floors, to the satoshi", async () => {
    const seeds = inputs(1, 10)
    for (let seed = 1; seed <= seeds; seed += 1) {
      const [first, second] = await Promise.all(floors.map((floor) => run({ seed, floor })))
      assert.deepStrictEqual(first?.broken, [])
      assert.isTrue(first?.history.some((event) => event.includes(" at open bcrt1")))
      assert.deepStrictEqual(first?.answers, second?.answers, `seed ${seed}`)
    }
  })

  it("keep all laws while everything goes wrong and an adversary pays there", async () => {
    const seeds = inputs(3, 1_000)
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { broken, history, struck } = await run({
        seed,
        faults: new Set(faultNames),
        flows: new Set(flowNames),
        adversary: new Set(anyStrategyNames)
      })
      assert.deepStrictEqual(
        broken,
        [],
        `npm run simulate -- --families bitcoin --floor model --seed ${seed}\n${history.join("\n")}`
      )
      for (const [name, times] of struck) tally(name, times)
    }
  })

  it("are swept, in several sweeps, of what an adversary pays in hundreds of tiny outputs", async () => {
    const { broken, history, log } = await run({
      seed: 2,
      adversary: parseStrategies("coin-address-dust") ?? new Set()
    })
    assert.deepStrictEqual(broken, [])
    assert.isAbove(history.filter((event) => event.includes("the adversary sends")).length, 4)
    assert.isAbove(log.filter((line) => line.includes("lie at a deposit address on bitcoin")).length, 4)
  })

  it("are listed again soon after a process started while an explorer hid what lies there, or was behind", async () => {
    for (const [seed, mood] of [[2_300_002, "explorer-hides"], [2_370_396, "explorer-lags"]] as const) {
      const { broken, history } = await run({
        seed,
        faults: parseFaults("all") ?? new Set(),
        flows: new Set(flowNames),
        adversary: new Set(anyStrategyNames)
      })
      assert.deepStrictEqual(broken, [])
      assert.include(history.join("\n"), `bitcoin: ${mood}`)
    }
  })

  it("are swept once fees are low again, also those of strangers", async () => {
    const { broken } = await run({
      seed: 2_370_695,
      faults: parseFaults("all") ?? new Set(),
      flows: new Set(flowNames),
      adversary: new Set(anyStrategyNames)
    })
    assert.deepStrictEqual(broken, [])
  })

  it("are swept although an endpoint was ahead of the chain when their block was to be read", async () => {
    const { broken, history } = await run({
      seed: 2_300_013,
      faults: parseFaults("all") ?? new Set(),
      flows: new Set(flowNames),
      adversary: new Set(anyStrategyNames)
    })
    assert.deepStrictEqual(broken, [])
    assert.include(history.join("\n"), "bitcoin: node-ahead")
  })

  it("keep what nobody watches for, which the laws find", async () => {
    const { hole, says } = addressHoles.addressesUnwatched
    const { broken } = await run({ seed: 1, hole, boundMs: 600_000 })
    assert.include(broken.join("\n"), says)
  })
})
