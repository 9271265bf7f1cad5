/** Deposit addresses on Tron in the simulated world: `--families tron --flows tron-addresses` runs more seeds. */
import { assert, describe, it } from "@effect/vitest"
import { inputs, tally } from "../../../scripts/testing/Tally.ts"
import { anyStrategyNames, parseStrategies } from "../adversaries/Strategies.ts"
import { faultNames, parseFaults } from "../Faults.ts"
import { flowNames } from "../flows/Flows.ts"
import type { Flow } from "../flows/Flows.ts"
import type { Planted } from "../holes/Hole.ts"
import { readSettings } from "../Service.ts"
import { tron, tronUsdt } from "../Terms.ts"
import { floors, simulate } from "../World.ts"
import type { RunOptions } from "../World.ts"
import { tronAddressHoles } from "./TronAddressHoles.ts"
import { tronAddressStrategyNames } from "./TronAddressStrategies.ts"

const run = async (options: Partial<RunOptions> & Pick<RunOptions, "seed">) =>
  simulate({
    faults: new Set(),
    families: "tron",
    flows: new Set<Flow>(["tron-addresses"]),
    floor: "model",
    environment: await readSettings("tron"),
    ...options
  })

describe("deposit addresses on Tron", () => {
  it("are swept and answered alike on both floors, TRX and USDT, to the unit", async () => {
    const seeds = inputs(1, 10)
    for (let seed = 1; seed <= seeds; seed += 1) {
      const [first, second] = await Promise.all(floors.map((floor) => run({ seed, floor })))
      assert.deepStrictEqual(first?.broken, [])
      assert.deepStrictEqual(first?.answers, second?.answers, `seed ${seed}`)
      const history = first?.history.join("\n") ?? ""
      for (const currency of [tron, tronUsdt]) {
        if (seed === 1) assert.match(history, new RegExp(`sends \\d+ of ${currency} on tron to T`, "u"))
      }
    }
  })

  it("keep all laws while everything goes wrong, backups are restored and an adversary pays there", async () => {
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
        `npm run simulate -- --families tron --floor model --seed ${seed}\n${history.join("\n")}`
      )
      for (const [name, times] of struck) tally(name, times)
    }
  })

  it("are swept in one currency at a time, so that no sweep spends the TRX of another one (TRON-25)", async () => {
    const { broken } = await run({
      seed: 3109,
      faults: parseFaults("all") ?? new Set(),
      flows: new Set(flowNames),
      adversary: new Set(anyStrategyNames)
    })
    assert.deepStrictEqual(broken, [])
  })

  it("are not swept again while a reorg has dropped their sweep, which is sent again (ADDRESS-19)", async () => {
    const { broken } = await run({
      seed: 2039,
      faults: parseFaults("all") ?? new Set(),
      flows: new Set(flowNames),
      adversary: new Set(anyStrategyNames)
    })
    assert.deepStrictEqual(broken, [])
  })

  it("bring nothing that earlier sweeps have left, whatever one endpoint shows (TRON-29)", async () => {
    const { broken } = await run({
      seed: 2502271,
      faults: parseFaults("all") ?? new Set(),
      flows: new Set(flowNames),
      adversary: new Set(anyStrategyNames)
    })
    assert.deepStrictEqual(broken, [])
  })

  it("go back under a request that a restored store has forgotten, TRX too (RESTORE-2)", async () => {
    const { broken } = await run({
      seed: 2600032,
      faults: parseFaults("all") ?? new Set(),
      flows: new Set(flowNames),
      adversary: new Set(anyStrategyNames)
    })
    assert.deepStrictEqual(broken, [])
  })

  it("are refunded by an operator's retry of a later request, after a reorg has made its refund fail (REFUND-10)", async () => {
    const { broken } = await run({
      seed: 2505608,
      faults: parseFaults("all") ?? new Set(),
      flows: new Set(flowNames),
      adversary: new Set(anyStrategyNames)
    })
    assert.deepStrictEqual(broken, [])
  })

  for (const name of tronAddressStrategyNames) {
    it(`keep what is theirs from an adversary that plays ${name} alone`, async () => {
      const { broken, history } = await run({ seed: 1, adversary: parseStrategies(name) ?? new Set() })
      assert.deepStrictEqual(broken, [])
      assert.isAbove(history.filter((event) => event.includes("the adversary sends")).length, 1)
    })
  }

  for (const [name, { faults, hole, says, seed }] of Object.entries<Planted>(tronAddressHoles)) {
    it(`show what is planted: ${name}`, async () => {
      const { broken } = await run({ seed, hole, boundMs: 600_000, faults: parseFaults(faults) ?? new Set() })
      assert.include(broken.join("\n"), says)
    })
  }
})
