/** Shows operators how many deposits wait to be settled, and alerts them when one has waited too long. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import { countStuck, noteSettlementAge, noteSettlements } from "../operations/Meters.ts"

/** After this time an operator should see why deposits are not settled. */
const OVERDUE_MS = 3_600_000

/** While more become overdue, operators are alerted once in this time. */
const TOLD_EVERY_MS = 3_600_000

/** Deposits that were reported are not reported again, however long they wait. */
export const makeSettlementBacklog = () => {
  let toldUpTo = -1
  let toldAt = -Infinity
  return Effect.gen(function*() {
    const settlements = yield* Settlements
    const all = yield* settlements.open
    const now = yield* Clock.currentTimeMillis
    for (const state of ["open", "submitted", "refused"] as const) {
      const found = all.find((each) => each.state === state)
      yield* noteSettlements(state, found?.count ?? 0)
      yield* noteSettlementAge(state, found === undefined ? 0 : Math.max(0, Math.floor((now - found.oldest) / 1_000)))
    }
    if (now - toldAt < TOLD_EVERY_MS) return
    const late = yield* settlements.overdue(toldUpTo, now - OVERDUE_MS)
    if (late === undefined) return
    toldUpTo = late.newest
    toldAt = now
    yield* countStuck("settlement-overdue")
    yield* Effect.logError(
      `${late.count} deposits, the first of which was filled or refunded at ${
        new Date(late.oldest).toISOString()
      }, have waited more than an hour to be settled`
    )
  })
}
