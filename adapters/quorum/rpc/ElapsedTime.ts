/**
 * Milliseconds since some moment in the past, for measuring how long ago something was. The machine's own time does not
 * do: when somebody sets it back an hour, what was asked a second ago would be an hour in the future.
 */
import { Clock, Effect } from "effect"

const NANOS_PER_MS = 1e6

export const elapsedMillis: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / NANOS_PER_MS
)
