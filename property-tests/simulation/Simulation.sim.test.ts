/** The simulated world, with a few seeds: `npm run simulate` runs as many as you like. */
import { assert, describe, it } from "@effect/vitest"
import { inputs, tally } from "../../scripts/testing/Tally.ts"
import { strategyNames } from "./adversaries/Strategies.ts"
import { faultNames } from "./Faults.ts"
import type { Fault } from "./Faults.ts"
import { readSettings } from "./Service.ts"
import { floors, simulate } from "./World.ts"

/** The faults at the time when a seed failed. Later ones would give it another history. */
const earlyFaults: ReadonlySet<Fault> = new Set<Fault>([
  "node-silent",
  "node-slow",
  "node-error",
  "node-nonsense",
  "node-stale",
  "node-wrong-chain",
  "answer-lost",
  "reorg",
  "reorg-drops",
  "pool-drops",
  "fee-spike",
  "chain-halts",
  "store-fails",
  "store-slow",
  "commit-fails",
  "commit-unknown",
  "kill",
  "treasury-empty"
])

const without = (all: ReadonlySet<Fault>, ...names: ReadonlyArray<Fault>) =>
  new Set([...all].filter((name) => !names.includes(name)))

describe("the simulated world", () => {
  it("is a function of its seed: the same history, byte for byte", async () => {
    const environment = await readSettings()
    const run = async () => {
      const { history, log } = await simulate({ seed: 7, faults: new Set(faultNames), environment })
      return [...history, ...log].join("\n")
    }
    assert.strictEqual(await run(), await run())
  })

  it("keeps its laws while everything goes wrong", async () => {
    const environment = await readSettings()
    const faults = new Set(faultNames)
    const adversary = new Set(strategyNames)
    const seeds = inputs(2, 500)
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { broken, history, struck } = await simulate({ seed, faults, environment, adversary })
      assert.deepStrictEqual(
        broken,
        [],
        `npm run simulate -- --seed ${seed} --faults ${[...faults].join(",")}\n${history.join("\n")}`
      )
      for (const [name, times] of struck) tally(name, times)
    }
  })

  it("finds deposits that the scanning endpoint hides", async () => {
    const environment = await readSettings()
    const faults = new Set<Fault>(["node-hides"])
    assert.deepStrictEqual((await simulate({ seed: 20, faults, environment })).broken, [])
  })

  it("answers a deposit that an endpoint shows for an order of nobody", async () => {
    const environment = await readSettings()
    const faults = new Set<Fault>(["node-renames"])
    for (const floor of floors) {
      assert.deepStrictEqual((await simulate({ seed: 3, faults, floor, environment })).broken, [])
    }
  })

  it("starts the next process while a killed one hangs in its finalizers", async () => {
    const environment = await readSettings()
    const faults = without(earlyFaults, "commit-unknown")
    assert.deepStrictEqual((await simulate({ seed: 65, faults, environment })).broken, [])
  })

  it("pays although one endpoint names a sequence that the account has not reached", async () => {
    const environment = await readSettings()
    assert.deepStrictEqual((await simulate({ seed: 18, faults: earlyFaults, environment })).broken, [])
  })

  it("goes on when a reply of the engine was stored and the store's answer was lost", async () => {
    const environment = await readSettings()
    const faults = new Set<Fault>(["commit-unknown"])
    for (const seed of [30, 32]) assert.deepStrictEqual((await simulate({ seed, faults, environment })).broken, [])
  })

  it("goes on when the store was down for longer than the engine tries to store a reply", async () => {
    const environment = await readSettings()
    const faults = new Set<Fault>(["store-down"])
    assert.deepStrictEqual((await simulate({ seed: 4, faults, environment })).broken, [])
  })
})
