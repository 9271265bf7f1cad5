/** How often deposit addresses on exchange A are read, however many are watched and however often they are asked for. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { WatchPace } from "./WatchPace.ts"

const MINUTE = 60_000
/** Of a reading, and the part of the weight that is theirs. */
const [WEIGHT, SHARE] = [4, 4]

/** Asks for all of them at each time. Returns when each was read. */
const readAt = (weightPerMinute: number, addresses: number, every: number, minutes: number) => {
  const pace = new WatchPace<number>(weightPerMinute)
  const read = Array.from({ length: addresses }, (): Array<number> => [])
  for (let now = 10 * MINUTE; now < (10 + minutes) * MINUTE; now += every) {
    for (const [index, times] of read.entries()) {
      if (!pace.takes(`${index}`, now)) continue
      pace.note(`${index}`, now)
      times.push(now)
    }
  }
  return { pace, read }
}

describe("the pace of watched deposit addresses", () => {
  it("stays within its part of the weight in any minute, and each address has its turn", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 5_000 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 200, max: 5_000 }),
        (weightPerMinute, addresses, every) => {
          const perMinute = weightPerMinute / SHARE / WEIGHT
          // In three turns of all of them.
          const minutes = Math.ceil((3 * addresses) / perMinute) + 1
          const { read } = readAt(weightPerMinute, addresses, every, minutes)
          const all = read.flat().toSorted((one, other) => one - other)
          for (const [index, first] of all.entries()) {
            const within = all.slice(index).filter((at) => at < first + MINUTE).length
            assert.isTrue(within <= (perMinute * 65) / 60 + 1, `${within} in a minute, of ${perMinute}`)
          }
          for (const [address, times] of read.entries()) assert.isAtLeast(times.length, 1, `address ${address}`)
        }
      ),
      { numRuns: inputs(100, 2_000) }
    )
  })

  it("reads a single address each time while the weight suffices, and answers with the last reading in between", () => {
    const { read } = readAt(100_000, 1, 1_000, 2)
    assert.lengthOf(read[0] ?? [], 120)
    const { pace, read: rare } = readAt(200, 1, 1_000, 2)
    assert.isBelow(rare[0]?.length ?? 0, 30)
    assert.strictEqual(pace.lastOf("0"), rare[0]?.at(-1))
    assert.isUndefined(pace.lastOf("another"))
  })
})
