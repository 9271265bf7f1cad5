/**
 * Starts what was accepted: every open payout, soon after it was asked for and again after a restart. Starting one
 * twice is starting it once; an execution that ended without a result is followed by another. A payout whose payment
 * was lost is in another round, and so is started anew.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Payouts } from "../../../ports/store/ledger/Payouts.ts"
import type { Payout } from "../../../ports/store/ledger/Payouts.ts"
import { countStuck } from "../operations/Meters.ts"
import { poll } from "../polling/Poll.ts"
import { PayoutWorkflow } from "./PayoutWorkflow.ts"

const EVERY = Duration.seconds(1)

const start = Effect.fnUntraced(function*({ id, round }: Payout) {
  let attempt = 0
  while (true) {
    const execution = yield* PayoutWorkflow.execute({ id, attempt, round }, { discard: true })
    const result = yield* PayoutWorkflow.poll(execution)
    if (Option.isNone(result) || result.value._tag !== "Complete" || Exit.isSuccess(result.value.exit)) return
    yield* countStuck("payout-died")
    yield* Effect.logError(`payout ${id} has ended without a result; it is begun again`)
    attempt += 1
  }
})

const startOpen = Effect.gen(function*() {
  const payouts = yield* Payouts
  for (const payout of yield* payouts.open) yield* start(payout)
})

export const layer = Layer.effectDiscard(startOpen.pipe(poll("open payouts", EVERY), Effect.forkScoped))
