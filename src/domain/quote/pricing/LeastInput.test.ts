/** The search compared with trying every input, and its number of evaluations. */
import { assert, describe, it } from "@effect/vitest"
import { leastInput } from "./LeastInput.ts"

/** The result for the condition "at least `least`", and every input that was tried. */
const search = (least: bigint, guess: bigint, limit: bigint) => {
  const looks: Array<bigint> = []
  const found = leastInput(
    (input) => {
      looks.push(input)
      return input >= least
    },
    guess,
    limit
  )
  return { found, looks }
}

describe("the least input", () => {
  it("equals a search over every input, from any guess, within any limit", () => {
    for (let limit = 0n; limit <= 9n; limit += 1n) {
      for (let guess = -2n; guess <= limit + 2n; guess += 1n) {
        for (let least = 0n; least <= limit + 2n; least += 1n) {
          const { found, looks } = search(least, guess, limit)
          assert.strictEqual(
            found,
            least <= limit ? least : undefined,
            `least ${least}, guess ${guess}, limit ${limit}`
          )
          assert.isTrue(looks.every((input) => input >= 0n && input <= limit), "looked outside")
        }
      }
    }
  })

  it("takes two evaluations from a right guess, three from the next", () => {
    assert.deepStrictEqual(search(100n, 100n, 1_000n).looks, [100n, 99n])
    assert.deepStrictEqual(search(101n, 100n, 1_000n).looks, [100n, 101n])
    assert.deepStrictEqual(search(99n, 100n, 1_000n).looks, [100n, 99n, 97n, 98n])
    assert.deepStrictEqual(search(0n, 0n, 1_000n).looks, [0n])
    assert.deepStrictEqual(search(2_000n, 5_000n, 1_000n).looks, [1_000n])
    assert.deepStrictEqual(search(5n, -7n, 1_000n).looks, [0n, 1n, 3n, 7n, 5n, 4n])
  })

  it("takes the logarithm of its distance from a wrong one", () => {
    for (const distance of [2n ** 20n, 2n ** 60n, 2n ** 200n]) {
      const most = 2 * distance.toString(2).length + 2
      assert.isAtMost(search(2n ** 255n + distance, 2n ** 255n, 2n ** 256n).looks.length, most)
      assert.isAtMost(search(2n ** 255n - distance, 2n ** 255n, 2n ** 256n).looks.length, most)
    }
  })
})
