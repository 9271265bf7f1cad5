/**
 * Looks for requests that have been in their state for too long (STATUS-8, "every request with a deposit ends within
 * its bound") and reports them: in the metrics, and once each in the log. It decides nothing.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { overdueAmong } from "../../domain/transfer/Bounds.ts"
import { unendedStatuses } from "../../domain/transfer/Status.ts"
import { countStuck, noteOverdue } from "./Meters.ts"
import { poll } from "../polling/Poll.ts"

const EVERY = Duration.seconds(15)

/** The longest ones. More of them would not help the operator. */
const LOOKED_AT = 1_000

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chains = yield* Chains
  const transfers = yield* Transfers
  let told: ReadonlySet<string> = new Set()

  const look = Effect.gen(function*() {
    const overdue = overdueAmong(yield* transfers.unended(LOOKED_AT), chains.all, yield* Clock.currentTimeMillis)
    yield* Effect.forEach(
      unendedStatuses,
      (state) => noteOverdue(state, overdue.filter(({ status }) => status === state).length),
      { discard: true }
    )
    for (const { id, since, status } of overdue.filter((each) => !told.has(`${each.id} ${each.status}`))) {
      yield* countStuck("overdue")
      yield* Effect.logError(`request ${id} is ${status} since ${new Date(since).toISOString()}, longer than it may be`)
        .pipe(Effect.annotateLogs({ requestId: id }))
    }
    told = new Set(overdue.map(({ id, status }) => `${id} ${status}`))
  })

  yield* look.pipe(poll("watchdog", EVERY), Effect.forkScoped)
}))
