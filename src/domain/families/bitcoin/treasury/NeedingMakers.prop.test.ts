/** What cannot be proven of strangers' chains of coins, and that long ones cost no more than they are long (BITCOIN-23). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import type { SpendingInputs } from "./DeadPayment.ts"
import { neededWithin, needing } from "./NeedingMakers.ts"

const nameOf = (at: number): string => at.toString(16).padStart(64, "0")

const makerOf = (at: number, spends: ReadonlyArray<number>): SpendingInputs => ({
  id: nameOf(at),
  inputs: spends.map((each, index) => ({ transactionId: nameOf(each), index }))
})

const byName = (makers: ReadonlyArray<SpendingInputs>): ReadonlyMap<string, SpendingInputs> =>
  new Map(makers.map((maker) => [maker.id, maker]))

/** By its definition: one step on, until nothing is added. */
const stepwise = (unknown: ReadonlySet<string>, makers: ReadonlyMap<string, SpendingInputs>): ReadonlySet<string> => {
  const all = new Set(unknown)
  for (let before = -1; before < all.size;) {
    before = all.size
    for (const { id, inputs: spent } of makers.values()) {
      if (spent.some(({ transactionId }) => all.has(transactionId))) all.add(id)
    }
  }
  return all
}

describe("the makers that need an unknown one", () => {
  it("are those that reach it by what they spend", () => {
    const spends = fc.array(fc.array(fc.nat(12), { maxLength: 3 }), { maxLength: 10 })
    fc.assert(
      fc.property(spends, fc.uniqueArray(fc.nat(12), { maxLength: 4 }), (each, unknown) => {
        const makers = byName(each.map((spent, at) => makerOf(at, spent)))
        const lacking = new Set(unknown.map(nameOf))
        assert.deepStrictEqual(needing(lacking, makers), stepwise(lacking, makers))
      }),
      { numRuns: inputs(1_000) }
    )
  })

  it("are found in a chain of fifty thousand, which its sender chose to be listed newest first", () => {
    const length = 50_000
    const makers = byName(Array.from({ length }, (_, at) => makerOf(at, [at + 1])))
    assert.strictEqual(needing(new Set([nameOf(length)]), makers).size, length + 1)
  })
})

describe("what a coin needs", () => {
  it("is all of it, however often its parts are spent, up to so many inputs", () => {
    const makers = byName([makerOf(0, [1, 2]), makerOf(1, [2]), makerOf(2, [9])])
    assert.deepStrictEqual(
      neededWithin(nameOf(0), makers, 4)?.map(({ id }) => id).toSorted(),
      [0, 1, 2].map(nameOf)
    )
    assert.isUndefined(neededWithin(nameOf(0), makers, 3))
    assert.deepStrictEqual(neededWithin(nameOf(9), makers, 0), [])
  })
})
