/** What an adversary has tried, each with the seeds that showed what it found. */
import { assert, describe, it } from "@effect/vitest"
import type { Fault } from "../Faults.ts"
import { readSettings } from "../Service.ts"
import { simulate } from "../World.ts"
import type { Plan } from "./Moves.ts"

/** Its filled deposit is dropped by a reorg, and it pays a hundredth of it for the same order. */
const comesBackAsDust: Plan = [
  {
    do: "ask",
    from: "alpha",
    currencies: [1, 1],
    amount: 10_000_000,
    exact: "input",
    recipient: "itself",
    isSponsored: false
  },
  { do: "pay", percent: 100, currency: "asked", chain: "asked", memo: "order", times: 1, by: "itself" },
  { do: "wait", seconds: 12 },
  { do: "withhold" },
  { do: "wait", seconds: 110 },
  { do: "pay", percent: 1, currency: "asked", chain: "asked", memo: "order", times: 1, by: "accomplice" }
]

describe("an adversary", () => {
  it("does not hide a loss by paying a part of a filled deposit that is gone", async () => {
    const environment = await readSettings()
    const faults = new Set<Fault>(["reorg-drops", "reorg-deepest"])
    for (const seed of [39, 43]) {
      const run = await simulate({ seed, faults, plans: [comesBackAsDust], floor: "model", environment })
      assert.deepStrictEqual(run.broken, [])
      // That it was declared gone shows that the seed still reaches the case.
      assert.include(run.log.join("\n"), "that was filled is no longer on the chain")
    }
  })
})
