/**
 * Tries again until it works: for steps that must happen and may happen twice without harm.
 *
 * Takes failures that say "try again" and no others; a defect ends the step and is reported. The waits grow to a bound and
 * are jittered, so that a chain that comes back is not met by everybody at once.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import type { PriceUnavailable } from "../../ports/Prices.ts"
import type { StoreUnavailable } from "../../ports/StoreUnavailable.ts"
import { countRetry } from "./Meters.ts"

export type Transient = ChainUnavailable | PriceUnavailable | StoreUnavailable

const patience = Schedule.min([
  Schedule.exponential(Duration.millis(100), 1.7),
  Schedule.spaced(Duration.seconds(10))
]).pipe(Schedule.jittered)

/** Retries for ever what is worth retrying, saying so in the log. `step` must not hold data of a request. */
export const persistently = (step: string) =>
<A, R>(effect: Effect.Effect<A, Transient, R>): Effect.Effect<A, never, R> =>
  effect.pipe(
    Effect.tapError((error) => Effect.andThen(countRetry(step), Effect.logWarning(`${step}: ${error.message}`))),
    Effect.retry(patience),
    Effect.orDie
  )
