import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { DAY_MS } from "../../calendar/Day.ts"
import { accountedDays } from "./AccountedDays.ts"

const messageOf = (from: string, to: string) =>
  Result.match(accountedDays({ from, to }), { onFailure: ({ message }) => message, onSuccess: () => "none" })

describe("the days of an accounting query", () => {
  it("go from the first moment of the first to the first after the last", () => {
    const from = Date.parse("2026-11-21")
    assert.deepStrictEqual(
      accountedDays({ from: "2026-11-21", to: "2026-11-21" }),
      Result.succeed({ from, until: from + DAY_MS })
    )
    assert.deepStrictEqual(
      accountedDays({ from: "2026-11-21", to: "2026-12-01" }),
      Result.succeed({ from, until: from + 11 * DAY_MS })
    )
  })

  it("are at most 366, first and last included", () => {
    assert.strictEqual(messageOf("2027-01-01", "2028-01-01"), "none")
    assert.strictEqual(messageOf("2028-01-01", "2028-12-31"), "none")
    const refused = "from comes before to, and at most 366 days lie between them"
    assert.strictEqual(messageOf("2027-01-01", "2028-01-02"), refused)
    assert.strictEqual(messageOf("2026-11-22", "2026-11-21"), refused)
  })

  it("are days of the calendar", () => {
    for (
      const [from, to] of [["2026-02-30", "2026-03-01"], ["2026-02-01", "2026-02-30"], ["", "2026-03-01"]] as const
    ) {
      assert.strictEqual(messageOf(from, to), "from and to are days: 2026-11-21")
    }
  })
})
