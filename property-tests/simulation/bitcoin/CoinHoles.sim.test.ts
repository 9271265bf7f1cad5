/** The simulation finds what is planted into the treasury of Bitcoin. */
import { assert, describe, it } from "@effect/vitest"
import { parseFaults } from "../Faults.ts"
import { readSettings } from "../Service.ts"
import { simulate } from "../World.ts"
import { coinHoles } from "./CoinHoles.ts"

/**
 * The faults that a hole needs, so that one seed is enough, and what the simulation says of it. An explorer that is up to
 * date names no coin that a payment in the pool spends, so ignored claims do no harm beside it.
 */
const found = {
  claimsIgnored: { faults: "explorer-lags", seed: 1, says: "spend one coin" },
  deadUnproven: { faults: "pool-drops", seed: 1, says: "spend one coin" },
  olderFormsForgotten: { faults: "fee-spike,older-form", seed: 11, says: "of its payments can be mined" },
  replacedByOtherCoins: { faults: "fee-spike", seed: 1, says: "of its payments can be mined" }
} as const

describe("a hole planted into the treasury of Bitcoin is found", () => {
  for (
    const name of ["claimsIgnored", "deadUnproven", "olderFormsForgotten", "replacedByOtherCoins"] as const
  ) {
    it(name, async () => {
      const { faults, says, seed } = found[name]
      const { broken } = await simulate({
        seed,
        faults: parseFaults(faults) ?? new Set(),
        families: "bitcoin",
        floor: "model",
        environment: await readSettings("bitcoin"),
        hole: coinHoles[name]
      })
      assert.include(broken.join("\n"), says)
    })
  }
})
