/**
 * Starts what was accepted: every queued permit, soon after and again after a restart. Starting one twice is starting
 * it once; an execution that ended without a result is followed by another. One that was undone is in another round,
 * and so is started anew.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { PermitSubmissions } from "../../../ports/store/orders/PermitSubmissions.ts"
import type { PermitSubmission } from "../../../ports/store/orders/PermitSubmissions.ts"
import { countStuck } from "../operations/Meters.ts"
import { poll } from "../polling/Poll.ts"
import { PermitWorkflow } from "./PermitWorkflow.ts"

const EVERY = Duration.millis(200)

const start = Effect.fnUntraced(function*({ id, round }: PermitSubmission) {
  let attempt = 0
  while (true) {
    const execution = yield* PermitWorkflow.execute({ id, attempt, round }, { discard: true })
    const result = yield* PermitWorkflow.poll(execution)
    if (Option.isNone(result) || result.value._tag !== "Complete" || Exit.isSuccess(result.value.exit)) return
    yield* countStuck("permit-died")
    yield* Effect.logError(`permit ${id} has ended without a result; it is begun again`)
    attempt += 1
  }
})

const startOpen = Effect.gen(function*() {
  const submissions = yield* PermitSubmissions
  for (const submission of yield* submissions.open) yield* start(submission)
})

export const layer = Layer.effectDiscard(startOpen.pipe(poll("queued permits", EVERY), Effect.forkScoped))
