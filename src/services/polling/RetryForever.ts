/**
 * Retries until success, for steps that must happen and are safe to repeat.
 *
 * Defects are retried too, slowly, and logged as errors: the workflow engine would otherwise store the defect as the
 * step's result for ever, and money would silently stay where it is. A new version of the program, or a repaired store,
 * then finds the step waiting. Waits grow to a limit and are jittered, so that the load on a recovering chain is
 * spread.
 */
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
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

/** Errors that may pass by themselves. Any other error is not retried. */
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

/** When a try began, and what was heard before it. */
interface Begun {
  /** Milliseconds. */
  readonly at: number
  readonly notices: StoreNotices["Service"] | undefined
  /** Of restorations. Read before the step reads the store: what is written meanwhile wakes it at once. */
  readonly heard: number
}

const begin: Effect.Effect<Begun> = Effect.withFiber((fiber): Effect.Effect<Begun> => {
  const at = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
  const notices = Context.getOrUndefined(fiber.context, StoreNotices)
  return notices === undefined
    ? Effect.succeed({ at, notices, heard: 0 })
    : Effect.map(notices.heard("restorations"), (heard) => ({ at, notices, heard }))
})

/**
 * Payments may be held for minutes after a restore (`PaymentsHeld`). Where notices are heard, the next try follows the
 * end of the restoration, or `SlowPoll` in case its notice was lost.
 */
const untilReleased = ({ heard, notices }: Begun, { _tag }: Transient): Effect.Effect<unknown> =>
  _tag !== "PaymentsHeld" || notices === undefined
    ? Effect.void
    : Effect.flatMap(SlowPoll, (slowly) => Effect.timeoutOption(notices.after("restorations", heard), slowly))

interface FailedLate<E> {
  readonly _tag: "FailedLate"
  readonly error: E
}

/** What follows a try that failed. A try that ran for long before fails late. */
const assess = <A, E extends Transient, R>(
  begun: Begun,
  tried: Effect.Effect<A, E, R>
): Effect.Effect<A, E | FailedLate<E>, R> =>
  tried.pipe(Effect.catch((error) =>
    Effect.flatMap(
      Effect.andThen(untilReleased(begun, error), Clock.currentTimeMillis),
      (now): Effect.Effect<never, E | FailedLate<E>> =>
        Effect.fail(now - begun.at >= GOOD_RUN_MS ? { _tag: "FailedLate", error } : error)
    )
  ))

/** Retries for ever, with growing waits. */
const patiently = <A, E extends Transient, R>(
  effect: Effect.Effect<A, E | FailedLate<E>, R>
): Effect.Effect<A, E | FailedLate<E>, R> =>
  effect.pipe(
    Effect.retry({ schedule: patience, while: ({ _tag }) => _tag !== "FailedLate" }),
    Effect.retry(Schedule.spaced(Duration.millis(100)).pipe(Schedule.jittered))
  )

const afterDefect = backoff(Duration.seconds(1), Duration.minutes(1))

/** Goes on after a first try that began so and failed so. */
const goOn = <A, R>(
  step: Step,
  effect: Effect.Effect<A, Transient, R>,
  begun: Begun,
  cause: Cause.Cause<Transient>
): Effect.Effect<A, never, R> => {
  let first: Effect.Effect<never, Transient> | undefined = Effect.failCause(cause)
  const told = <B, E extends Transient, S>(tried: Effect.Effect<B, E, S>) =>
    Effect.tapError(tried, (error) => Effect.andThen(countRetry(step), Effect.logWarning(`${step}: ${error.message}`)))
  return Effect.suspend((): Effect.Effect<A, Transient | FailedLate<Transient>, R> => {
    const failed = first
    first = undefined
    return failed === undefined
      ? Effect.flatMap(begin, (now) => assess(now, told(effect)))
      : assess(begun, told(failed))
  }).pipe(
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
}

/** Retries for ever and logs each failure. Schedules are made once a try has failed: most steps succeed at once. */
export const retryForever =
  (step: Step) => <A, R>(effect: Effect.Effect<A, Transient, R>): Effect.Effect<A, never, R> =>
    Effect.flatMap(begin, (begun) => Effect.catchCause(effect, (cause) => goOn(step, effect, begun, cause)))
