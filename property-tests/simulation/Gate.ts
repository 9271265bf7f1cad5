/**
 * Everything through which a process touches the world passes its gate: statements and requests. Killing the process
 * closes the gate, so that nothing of it reaches the world afterwards, not even its finalizers.
 */
import { Deferred, Effect, Fiber } from "effect"

/** What the process was doing when it was killed. */
export class Killed extends Error {}

export interface Gate {
  /** Runs `touch` if the process lives, and hands its result over if it still does. */
  readonly around: (place: string) => <A, E, R>(touch: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * What a caller asks of the process. Undefined as soon as that is killed, as a client sees its connection end: a read
   * that another fiber of the process makes for it is never answered then.
   */
  readonly whileOpen: <A, E, R>(question: Effect.Effect<A, E, R>) => Effect.Effect<A | undefined, E, R>
  /** Dies if the process is dead, or is killed here. */
  readonly pass: (place: string) => Effect.Effect<void>
  /** As `pass`, without an effect: false when the process is dead, or is killed here. */
  readonly passes: (place: string) => boolean
  readonly isOpen: () => boolean
  readonly isFrozen: () => boolean
  readonly kill: (place: string) => void
  /** The process stands still for so many milliseconds: nothing new is asked of the world. */
  readonly freeze: (milliseconds: number) => Effect.Effect<void>
  /** Returns when the process does not stand still. */
  readonly thawed: Effect.Effect<void>
  /** The place at which it was killed. */
  readonly killed: Deferred.Deferred<string>
}

/** `strikes`: whether the process is killed here. */
export const makeGate = (strikes: () => boolean): Gate => {
  const killed = Deferred.makeUnsafe<string>()
  let isOpen = true
  let frozen: Deferred.Deferred<void> | undefined
  const thaw = (): void => {
    if (frozen !== undefined) Deferred.doneUnsafe(frozen, Effect.void)
    frozen = undefined
  }
  const kill = (place: string): void => {
    if (!isOpen) return
    isOpen = false
    thaw()
    Deferred.doneUnsafe(killed, Effect.succeed(place))
  }
  const passes = (place: string): boolean => {
    if (isOpen && strikes()) kill(place)
    return isOpen
  }
  const pass = (place: string) => Effect.suspend(() => passes(place) ? Effect.void : Effect.die(new Killed(place)))
  return {
    around: (place) => (touch) =>
      Effect.andThen(pass(`before ${place}`), Effect.tap(touch, () => pass(`after ${place}`))),
    // Nobody waits for the finalizers of a dead process.
    whileOpen: (question) =>
      Effect.flatMap(
        Effect.forkDetach(question, { startImmediately: true }),
        (asking) =>
          Effect.raceFirst(Fiber.join(asking), Effect.as(Deferred.await(killed), undefined)).pipe(
            Effect.ensuring(Effect.sync(() => asking.interruptUnsafe()))
          )
      ),
    pass,
    passes,
    isOpen: () => isOpen,
    isFrozen: () => frozen !== undefined,
    kill,
    freeze: (milliseconds) =>
      Effect.suspend(() => {
        frozen = Deferred.makeUnsafe<void>()
        return Effect.andThen(Effect.sleep(milliseconds), Effect.sync(thaw))
      }),
    thawed: Effect.suspend(() => frozen === undefined ? Effect.void : Deferred.await(frozen)),
    killed
  }
}
