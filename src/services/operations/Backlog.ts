/**
 * Shows how much is in flight, from the store that all processes share: requests by state, durable workflows, and the
 * losses by unattested refunds.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { Workflows } from "../../../ports/store/operations/Workflows.ts"
import { unendedStatuses } from "../../domain/transfer/Status.ts"
import { noteBacklog, noteTransfers } from "./Meters.ts"
import { poll } from "../polling/Poll.ts"
import { showUnattested } from "./UnattestedLosses.ts"

const EVERY = Duration.seconds(15)

const look = Effect.gen(function*() {
  const transfers = yield* Transfers
  const workflows = yield* Workflows
  const counts = yield* transfers.unendedByStatus
  // All states are shown, so that none keeps an old number.
  yield* Effect.forEach(unendedStatuses, (state) => noteTransfers(state, counts.get(state) ?? 0), { discard: true })
  yield* noteBacklog(yield* workflows.unfinished)
  yield* showUnattested
})

export const layer = Layer.effectDiscard(look.pipe(poll("backlog", EVERY), Effect.forkScoped))
