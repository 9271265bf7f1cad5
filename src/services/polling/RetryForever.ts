/**
 * Retries until success, for steps that must happen and are safe to repeat.
 *
 * Defects are retried too, slowly, and logged as errors: the workflow engine would otherwise store the defect as the
 * step's result for ever, and money would silently stay where it is. A new version of the program, or a repaired store,
 * then finds the step waiting. Waits grow to a limit and are jittered, so that the load on a recovering chain is
 * spread.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { PaymentsHeld } from "../../../ports/store/orders/Payments.ts"
import type { PriceUnavailable } from "../../../ports/market/Prices.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { SlowPoll } from "../../../ports/store/operations/SlowPoll.ts"
import { StoreNotices } from "../../../ports/store/operations/StoreNotices.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { ChainNotServed } from "../../domain/chain/ChainNotServed.ts"
import { countDefect, countRetry } from "../operations/Meters.ts"
import type { Step } from "../quoting/Steps.ts"

export type Transient =
  | ChainNotServed
  | ChainUnavailable
  | PaymentsHeld
  | PriceUnavailable
  | SignerUnavailable
  | StoreUnavailable

const backoff = (first: Duration.Input, most: Duration.Input) =>
  Schedule.min([Schedule.exponential(first, 1.7), Schedule.spaced(most)]).pipe(Schedule.jittered)

const patience = backoff(Duration.millis(100), Duration.seconds(10))

/** A step that ran this long before it failed had made many successful checks, so its waits start over. */
const GOOD_RUN_MS = 1_000

/**
 * Payments may be held for minutes after a restore (`PaymentsHeld`). Where notices are heard, the next try follows the
 * end of the restoration, or `SlowPoll` in case its notice was lost.
 */
const untilReleased = <A, E extends Transient, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const found = yield* Effect.serviceOption(StoreNotices)
    if (Option.isNone(found)) return yield* effect
    const notices = found.value
    // Before the step reads the store: what is written meanwhile wakes it at once.
    const heard = yield* notices.heard("restorations")
    return yield* Effect.tapError(effect, ({ _tag }) =>
      _tag === "PaymentsHeld"
        ? Effect.flatMap(SlowPoll, (slowly) => Effect.timeoutOption(notices.after("restorations", heard), slowly))
        : Effect.void)
  })

interface FailedLate<E> {
  readonly _tag: "FailedLate"
  readonly error: E
}

/** Retries for ever, with growing waits. */
const patiently = <A, E extends Transient, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | FailedLate<E>, R> => {
  const timed = Effect.flatMap(
    Clock.currentTimeMillis,
    (from) =>
      untilReleased(effect).pipe(
        Effect.catch((error) =>
          Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<never, E | FailedLate<E>> =>
            Effect.fail(now - from >= GOOD_RUN_MS ? { _tag: "FailedLate", error } : error))
        )
      )
  )
  return timed.pipe(
    Effect.retry({ schedule: patience, while: ({ _tag }) => _tag !== "FailedLate" }),
    Effect.retry(Schedule.spaced(Duration.millis(100)).pipe(Schedule.jittered))
  )
}

const afterDefect = backoff(Duration.seconds(1), Duration.minutes(1))

/** Retries for ever and logs each failure. */
export const retryForever =
  (step: Step) => <A, R>(effect: Effect.Effect<A, Transient, R>): Effect.Effect<A, never, R> =>
    effect.pipe(
      Effect.tapError((error) => Effect.andThen(countRetry(step), Effect.logWarning(`${step}: ${error.message}`))),
      patiently,
      Effect.orDie,
      Effect.catchDefect((defect) =>
        Effect.andThen(countDefect(step), Effect.logError(`${step} failed with a defect and will be retried`, defect))
          .pipe(
            Effect.andThen(Effect.fail(step))
          )
      ),
      Effect.retry(afterDefect),
      Effect.orDie
    )
