/** The pairs of a described network, and what is refused. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { nothingAsked } from "../Arguments.ts"
import { localnet, withFamilies, withSolana } from "../testing/Described.ts"
import { planMatrix } from "./MatrixPlan.ts"

const asked = { ...nothingAsked, matrix: true }

describe("the pairs of a network", () => {
  it("are every chain of a family to one of every other, and never to itself", () => {
    const { chains, origins } = Result.getOrThrow(planMatrix(asked, { ...withFamilies, ...withSolana }))
    const types = chains.map(({ vmType }) => vmType)
    assert.deepStrictEqual(types.toSorted(), [
      "bitcoin-vm",
      "ethereum-vm",
      "exchangea-vm",
      "exchangeb-vm",
      "solana-vm",
      "tron-vm"
    ])
    assert.deepStrictEqual(origins.map(({ chain }) => chain.vmType), types)
    for (const { amount, chain, destinations } of origins) {
      assert.isTrue(amount > 0n)
      assert.deepStrictEqual(destinations.map(({ vmType }) => vmType), types.filter((type) => type !== chain.vmType))
    }
  })

  it("need two families, and no other word", () => {
    const refused = (words: Partial<typeof asked>, of = withFamilies) =>
      Result.getOrThrow(Result.flip(planMatrix({ ...asked, ...words }, of))).message
    assert.include(refused({}, localnet), "npm start -- --all-families")
    for (const words of [{ from: "beta" }, { amount: "1" }, { currency: "USDC" }, { sponsored: true }]) {
      assert.include(refused(words), "--matrix is all pairs")
    }
  })
})
