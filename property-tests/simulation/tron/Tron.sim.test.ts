/** The simulated world with a Tron chain beside the ledgers: the real adapter, over nodes in memory. */
import { assert, describe, it } from "@effect/vitest"
import { inputs, tally } from "../../../scripts/testing/Tally.ts"
import { anyStrategyNames } from "../adversaries/Strategies.ts"
import { faultNames } from "../Faults.ts"
import { readSettings } from "../Service.ts"
import { parseFlows } from "../flows/Flows.ts"
import { tron, tronOdd, tronUsdt } from "../Terms.ts"
import { simulate } from "../World.ts"
import type { Floor } from "../World.ts"

describe("the simulated world with Tron", () => {
  it("moves money in both directions, and refunds, on both floors alike", async () => {
    const environment = await readSettings("tron")
    const run = (floor: Floor) => simulate({ seed: 2, faults: new Set(), families: "tron", floor, environment })
    const [first, second] = [await run("full"), await run("model")]
    for (const { answers, broken } of [first, second]) {
      assert.deepStrictEqual(broken, [])
      const all = answers.join("\n")
      assert.match(all, new RegExp(`of ${tron} on tron for ldg.*filled`, "u"))
      assert.match(all, new RegExp(`for ${tron}: filled`, "u"))
      assert.match(all, new RegExp(`refunded \\d+ of ${tron}`, "u"))
      assert.match(all, new RegExp(`of ${tronUsdt} on tron for ldg.*filled`, "u"))
      assert.match(all, new RegExp(`refunded \\d+ of ${tronUsdt}`, "u"))
      assert.match(all, new RegExp(`of ${tronOdd} on tron for ldg.*filled`, "u"))
      assert.match(all, new RegExp(`for ${tronOdd}: filled`, "u"))
    }
    assert.deepStrictEqual(first.answers, second.answers)
  })

  it("is a function of its seed: the same history, byte for byte", async () => {
    const environment = await readSettings("tron")
    const run = async () => {
      const { history, log } = await simulate({
        seed: 7,
        faults: new Set(faultNames),
        families: "tron",
        floor: "model",
        environment
      })
      return [...history, ...log].join("\n")
    }
    assert.strictEqual(await run(), await run())
  })

  it("keeps its laws while everything goes wrong, backups are restored and an adversary plays", async () => {
    const environment = await readSettings("tron")
    const [faults, adversary] = [new Set(faultNames), new Set(anyStrategyNames)]
    const seeds = inputs(5, 1_000)
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { broken, history, struck } = await simulate({
        seed,
        faults,
        families: "tron",
        floor: "model",
        environment,
        adversary
      })
      assert.deepStrictEqual(
        broken,
        [],
        `npm run simulate -- --families tron --floor model --flows none --seed ${seed}\n${history.join("\n")}`
      )
      for (const [name, times] of struck) tally(name, times)
    }
  })

  it("keeps its laws when sponsors pay fees, apps take theirs and users pay each other, while everything goes wrong", async () => {
    const environment = await readSettings("tron")
    const [faults, adversary] = [new Set(faultNames), new Set(anyStrategyNames)]
    const flows = parseFlows("sponsored,app-fees,sends") ?? assert.fail("no such flows")
    const seeds = inputs(3, 300)
    const seen = new Set<string>()
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { broken, history } = await simulate({
        seed,
        faults,
        families: "tron",
        floor: "model",
        environment,
        adversary,
        flows
      })
      assert.deepStrictEqual(
        broken,
        [],
        `npm run simulate -- --families tron --floor model --flows sponsored,app-fees,sends --seed ${seed}\n${
          history.join("\n")
        }`
      )
      for (const wish of ["sponsored", "basis points for others"]) {
        if (history.some((line) => line.includes("from tron to") && line.includes(wish))) seen.add(wish)
      }
    }
    assert.strictEqual(seen.size, 2, [...seen].join())
  })
})
