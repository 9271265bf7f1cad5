/**
 * Tries again until it works: for steps that must happen and may happen twice without harm.
 *
 * A defect is tried again too, slowly and as an error in the log: the workflow engine would otherwise keep a step that
 * died as its result for ever, and money would lie still in silence. A new version of the program, or a mended store,
 * then finds the step waiting. The waits grow to a bound and are jittered, so that a chain that comes back is not met by
 * everybody at once.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import type { PaymentsHeld } from "../../ports/Payments.ts"
import type { PriceUnavailable } from "../../ports/Prices.ts"
import type { StoreUnavailable } from "../../ports/StoreUnavailable.ts"
import { countDefect, countRetry } from "./Meters.ts"

export type Transient = ChainUnavailable | PaymentsHeld | PriceUnavailable | StoreUnavailable

const backoff = (first: Duration.Input, most: Duration.Input) =>
  Schedule.min([Schedule.exponential(first, 1.7), Schedule.spaced(most)]).pipe(Schedule.jittered)

const patience = backoff(Duration.millis(100), Duration.seconds(10))
const afterDefect = backoff(Duration.seconds(1), Duration.minutes(1))

/** Retries for ever, saying so in the log. `step` must not hold data of a request. */
export const persistently = (step: string) =>
<A, R>(effect: Effect.Effect<A, Transient, R>): Effect.Effect<A, never, R> =>
  effect.pipe(
    Effect.tapError((error) => Effect.andThen(countRetry(step), Effect.logWarning(`${step}: ${error.message}`))),
    Effect.retry(patience),
    Effect.orDie,
    Effect.catchDefect((defect) =>
      Effect.andThen(countDefect(step), Effect.logError(`${step} met a defect and will be tried again`, defect)).pipe(
        Effect.andThen(Effect.fail(step))
      )),
    Effect.retry(afterDefect),
    Effect.orDie
  )
