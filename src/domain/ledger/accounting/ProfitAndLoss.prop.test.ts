import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { DAY_MS } from "../../calendar/Day.ts"
import { ChainId } from "../../chain/ChainId.ts"
import { Usd } from "../../money/Usd.ts"
import { accountLines, accountsByDay, bookingKinds, profitOf } from "./ProfitAndLoss.ts"
import type { AccountLine, Booking } from "./ProfitAndLoss.ts"

const booking: fc.Arbitrary<Booking> = fc.record({
  at: fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_000 + 5 * DAY_MS }),
  chainId: fc.constantFrom(ChainId.make(1), ChainId.make(2)),
  currency: fc.constantFrom("0xaa", "0xbb"),
  kind: fc.constantFrom(...bookingKinds),
  units: fc.bigInt({ min: 0n, max: 2n ** 255n }),
  usd: fc.option(fc.bigInt({ min: 0n, max: 2n ** 128n }).map(Usd), { nil: undefined })
})

const keyOf = ({ chainId, currency }: AccountLine): string => `${chainId}:${currency}`

const added = (lines: ReadonlyArray<AccountLine>, kind: Booking["kind"], key: string) =>
  lines.filter((line) => keyOf(line) === key).reduce(
    (sum, { [kind]: { units, unpriced, usd } }) => ({
      units: sum.units + units,
      usd: sum.usd + usd,
      unpriced: sum.unpriced + unpriced
    }),
    { units: 0n, usd: 0n, unpriced: 0 }
  )

describe("profit and loss", () => {
  it("of the days adds up to that of the whole span, to the unit, in any order", () => {
    fc.assert(
      fc.property(fc.array(booking, { maxLength: 60 }), (bookings) => {
        const whole = accountLines(bookings)
        const days = accountsByDay(bookings.toReversed())
        const lines = days.flatMap((day) => day.lines)
        for (const line of whole) {
          for (const kind of bookingKinds) assert.deepEqual(added(lines, kind, keyOf(line)), line[kind])
        }
        assert.strictEqual(days.reduce((sum, { profit }) => sum + profit, 0n), profitOf(whole))
        assert.deepStrictEqual(
          days.map(({ day }) => day),
          [...new Set(bookings.map(({ at }) => new Date(at).toISOString().slice(0, 10)))].toSorted()
        )
      }),
      { numRuns: inputs(300, 20_000) }
    )
  })

  it("loses and invents nothing: every booking is in one line of one day", () => {
    fc.assert(
      fc.property(fc.array(booking, { maxLength: 60 }), (bookings) => {
        const total = accountsByDay(bookings).flatMap(({ lines }) => lines).flatMap((line) =>
          bookingKinds.map((kind) => line[kind].units)
        ).reduce((sum, each) => sum + each, 0n)
        assert.strictEqual(total, bookings.reduce((sum, { units }) => sum + units, 0n))
      }),
      { numRuns: inputs(300, 20_000) }
    )
  })
})
