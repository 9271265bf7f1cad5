/**
 * A loop of the service: a turn, a pause, and again for as long as its fiber runs. Its one name is used in logs,
 * metrics and alarms. A turn that fails or dies is retried: only interruption ends a loop.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { SlowPoll } from "../../../ports/store/operations/SlowPoll.ts"
import { StoreNotices } from "../../../ports/store/operations/StoreNotices.ts"
import type { StoreTopic } from "../../../ports/store/operations/StoreNotices.ts"
import type { Step } from "../quoting/Steps.ts"
import { retryForever } from "./RetryForever.ts"
import type { Transient } from "./RetryForever.ts"

/** A loop whose pauses are effects of their own: `rest` ends when the next turn is due. */
export const pollAfter = <A, E extends Transient, R, S>(
  name: Step,
  turn: Effect.Effect<A, E, R>,
  rest: (found: A) => Effect.Effect<unknown, never, S>
): Effect.Effect<never, never, R | S> => turn.pipe(retryForever(name), Effect.flatMap(rest), Effect.forever)

/** `every`: the pause after a successful turn. It may depend on the turn's result. */
export const poll =
  <A = unknown>(name: Step, every: Duration.Input | ((found: A) => Duration.Input)) =>
  <E extends Transient, R>(turn: Effect.Effect<A, E, R>): Effect.Effect<never, never, R> =>
    pollAfter(name, turn, (found) => Effect.sleep(typeof every === "function" ? every(found) : every))

/** What ends the pause between two turns, beside a notice. */
export interface NoticedRest {
  /** The pause lasts so long in any case, however many notices come. */
  readonly atLeast: Duration.Input
  /** Then, or after `SlowPoll` if that is sooner, the next turn follows without a notice. */
  readonly atMost?: Duration.Duration | undefined
  /** The next turn follows once this returns. */
  readonly or?: Effect.Effect<void> | undefined
}

/**
 * A loop over what the store holds: a turn follows each notice of the topic. Without one, a turn follows after
 * `SlowPoll`.
 */
export const pollNoticed =
  <A = unknown>(name: Step, topic: StoreTopic, rest: Duration.Input | ((found: A) => NoticedRest)) =>
  <E extends Transient, R>(turn: Effect.Effect<A, E, R>): Effect.Effect<never, never, R | StoreNotices> =>
    Effect.gen(function*() {
      const notices = yield* StoreNotices
      const slowly = yield* SlowPoll
      // Before the turn reads: what is written meanwhile is read by the next one.
      const noted = Effect.flatMap(notices.heard(topic), (heard) => Effect.map(turn, (found) => ({ found, heard })))
      return yield* pollAfter(name, noted, ({ found, heard }) => {
        const { atLeast, atMost = slowly, or }: NoticedRest = typeof rest === "function"
          ? rest(found)
          : { atLeast: rest }
        const noticed = notices.after(topic, heard)
        const awaited = or === undefined ? noticed : Effect.raceFirst(noticed, or)
        return Effect.andThen(Effect.sleep(atLeast), Effect.timeoutOption(awaited, Duration.min(atMost, slowly)))
      })
    })
