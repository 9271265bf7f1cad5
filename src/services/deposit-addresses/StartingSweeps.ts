/**
 * Starts what was queued: every queued sweep, soon after and again after a restart. Starting one twice is starting it
 * once; an execution that ended without a result is followed by another. A sweep that was undone is in another round,
 * and so is started anew.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { Sweep } from "../../../ports/store/orders/Sweeps.ts"
import { countStuck } from "../operations/Meters.ts"
import { poll } from "../polling/Poll.ts"
import { SweepWorkflow } from "./SweepWorkflow.ts"

const EVERY = Duration.millis(200)

const start = Effect.fnUntraced(function*({ id, round }: Sweep) {
  let attempt = 0
  while (true) {
    const execution = yield* SweepWorkflow.execute({ id, attempt, round }, { discard: true })
    const result = yield* SweepWorkflow.poll(execution)
    if (Option.isNone(result) || result.value._tag !== "Complete" || Exit.isSuccess(result.value.exit)) return
    yield* countStuck("sweep-died")
    yield* Effect.logError(`sweep ${id} has ended without a result; it is begun again`)
    attempt += 1
  }
})

const startOpen = Effect.gen(function*() {
  const sweeps = yield* Sweeps
  for (const sweep of yield* sweeps.open) yield* start(sweep)
})

export const layer = Layer.effectDiscard(startOpen.pipe(poll("queued sweeps", EVERY), Effect.forkScoped))
