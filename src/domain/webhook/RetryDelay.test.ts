import { assert, describe, it } from "@effect/vitest"
import { MAX_TRIES, retryDelay } from "./RetryDelay.ts"

const waits = (unit: number) =>
  Array.from({ length: MAX_TRIES - 1 }, (_, index) => retryDelay(index + 1, unit) ?? Number.NaN)
const hours = (milliseconds: ReadonlyArray<number>) => milliseconds.reduce((sum, each) => sum + each, 0) / 3_600_000

describe("the delay before the next try", () => {
  it("grows from two seconds to half a day, and ends after the tenth try", () => {
    assert.deepStrictEqual([retryDelay(1, 0), retryDelay(1, 1), retryDelay(9, 1)], [
      1_000,
      2_000,
      Math.round(2_000 * 3.5 ** 8)
    ])
    assert.deepStrictEqual([retryDelay(10, 0.5), retryDelay(11, 0.5)], [undefined, undefined])
    assert.isTrue(waits(0.3).every((wait, index, all) => index === 0 || wait > (all[index - 1] ?? 0)))
    assert.isTrue(hours(waits(0)) > 8 && hours(waits(1)) < 18)
  })
})
