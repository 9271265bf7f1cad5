import { assert, describe, it } from "@effect/vitest"
import { crossings, isLow } from "./LowWater.ts"

const reading = (holding: string, amount: bigint) => ({ holding, amount, mark: 100n })

describe("low-water marks", () => {
  it("are passed below, not at them", () => {
    assert.deepStrictEqual([99n, 100n, 101n].map((amount) => isLow({ amount, mark: 100n })), [true, false, false])
  })

  it("are reported once for each crossing, down and up, and not for an unread amount", () => {
    const first = crossings(new Set(), [reading("a", 99n), reading("b", 100n)])
    assert.deepStrictEqual(first, { low: new Set(["a"]), fallen: [reading("a", 99n)], risen: [] })
    const second = crossings(first.low, [reading("a", 5n), reading("b", 7n)])
    assert.deepStrictEqual(second, { low: new Set(["a", "b"]), fallen: [reading("b", 7n)], risen: [] })
    const third = crossings(second.low, [reading("b", 200n)])
    assert.deepStrictEqual(third, { low: new Set(["a"]), fallen: [], risen: [reading("b", 200n)] })
  })
})
