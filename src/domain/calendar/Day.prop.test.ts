import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { DAY_MS, dateOf, dayOf, utcDay } from "./Day.ts"

describe("a day in UTC", () => {
  it("is the same as a number, as a date and at each of its times", () => {
    // Years of four digits.
    const day = fc.integer({ min: Date.parse("0000-01-01") / DAY_MS, max: Date.parse("9999-12-31") / DAY_MS })
    fc.assert(
      fc.property(day, fc.nat({ max: DAY_MS - 1 }), (number, within) => {
        assert.strictEqual(utcDay(number * DAY_MS + within), number)
        assert.strictEqual(dayOf(dateOf(number)), number)
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
    assert.deepStrictEqual([dayOf("1970-01-01"), dayOf("2026-11-21"), dateOf(20_778)], [0, 20_778, "2026-11-21"])
  })

  it("is a day of the calendar", () => {
    for (
      const date of [
        "2026-02-29",
        "2026-02-30",
        "2026-04-31",
        "2026-13-01",
        "2026-00-10",
        "2026-01-00",
        "2026-1-1",
        "26-01-01",
        "",
        "today",
        "2026-11-21T00:00",
        " 2026-11-21",
        "+002026-11-21"
      ]
    ) {
      assert.isUndefined(dayOf(date), date)
    }
    assert.isDefined(dayOf("2028-02-29"))
  })
})
