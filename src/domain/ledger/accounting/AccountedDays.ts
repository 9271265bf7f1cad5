/** The days for which accounts can be requested: whole days in UTC, both ends included, at most a year. */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { DAY_MS, dayOf } from "../../calendar/Day.ts"

/** The days of a leap year. */
export const MOST_ACCOUNTED_DAYS = 366

/** `message` tells the caller what is wrong. */
export class DaysRefused extends Data.TaggedError("DaysRefused")<{ readonly message: string }> {}

/** From a time (inclusive) to another (exclusive), in milliseconds. */
export interface AccountedTime {
  readonly from: number
  readonly until: number
}

/** `from` and `to` are dates such as `2026-11-21`. */
export const accountedDays = (
  { from, to }: { readonly from: string; readonly to: string }
): Result.Result<AccountedTime, DaysRefused> => {
  const [first, last] = [dayOf(from), dayOf(to)]
  if (first === undefined || last === undefined) {
    return Result.fail(new DaysRefused({ message: "from and to are days: 2026-11-21" }))
  }
  return last < first || last - first >= MOST_ACCOUNTED_DAYS
    ? Result.fail(
      new DaysRefused({ message: `from comes before to, and at most ${MOST_ACCOUNTED_DAYS} days lie between them` })
    )
    : Result.succeed({ from: first * DAY_MS, until: (last + 1) * DAY_MS })
}
