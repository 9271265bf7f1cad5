/** The port `FinishedWork` in memory. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FinishedWork } from "../../../ports/store/operations/FinishedWork.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"

/** The engine may still ask for what has just ended. */
const LEAST_AGE_MS = 60_000

/** A child stays as long as its parent, because a parent that runs again asks for the child's result. */
const forget = ({ activities, activitiesOf, deferreds, deferredsOf, executions }: Tables, before: number): number => {
  let removed = 0
  for (let more = -1; more !== removed;) {
    more = removed
    for (const { endedAt, id, parent } of executions.all()) {
      if (endedAt === undefined || endedAt >= before || (parent !== undefined && executions.has(parent))) continue
      for (const { attempt, name } of activitiesOf(id)) activities.remove(keyOf(id, name, attempt))
      for (const { name } of deferredsOf(id)) deferreds.remove(keyOf(id, name))
      executions.remove(id)
      removed += 1
    }
  }
  return removed
}

export const layer = Layer.effect(
  FinishedWork,
  Effect.map(MemoryStore, ({ call }) =>
    FinishedWork.of({
      forget: (olderThan) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          call("FinishedWork.forget", (tables) =>
            forget(tables, now - Math.max(Duration.toMillis(olderThan), LEAST_AGE_MS))))
    }))
)
