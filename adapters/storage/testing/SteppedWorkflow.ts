/** A process whose workflow reports each of its steps, for `WorkflowEngine.test.ts`. */
import { Effect, Layer, Schema } from "effect"
import { Activity, DurableClock, Workflow } from "effect/workflow"

/** What a process does beside continuing what others have left. */
export interface SteppedOptions {
  /** Asks for the execution, and reports `ended` when it has ended. */
  readonly start: boolean
  /** Stops forever between the second and the third activity, to be killed there. */
  readonly hold: boolean
  /**
   * Milliseconds of a sleep after the third activity that begins in this process: it reports `asleep` when the sleep is
   * stored, and `awake` after it.
   */
  readonly nap: number
  /** Asks for this many more executions, whose steps carry their number. */
  readonly more: number
}

export interface SteppedProcess extends SteppedOptions {
  readonly say: (step: string) => Effect.Effect<void>
  /** Whether a sleep is stored. */
  readonly sleeps: Effect.Effect<boolean>
}

const Steps = Workflow.make("Steps", {
  payload: { id: Schema.String, nap: Schema.Int },
  idempotencyKey: ({ id }) => id
})

const steps = ({ hold, nap: ownNap, say }: SteppedProcess) =>
  Steps.toLayer(Effect.fnUntraced(function*({ id, nap }) {
    yield* Activity.make({ name: "one", execute: say(`one${id}`) })
    yield* Activity.make({ name: "two", execute: say(`two${id}`) })
    if (hold) {
      yield* say(`holding${id}`)
      return yield* Effect.never
    }
    yield* Activity.make({ name: "three", execute: say(`three${id}`) })
    if (nap > 0) {
      yield* DurableClock.sleep({ name: "nap", duration: ownNap, inMemoryThreshold: 0 })
      yield* Activity.make({ name: "awake", execute: say(`awake${id}`) })
    }
  }))

const begin = ({ more, nap, say, sleeps, start }: SteppedProcess) =>
  Effect.gen(function*() {
    yield* say("up")
    if (nap !== 0) {
      yield* sleeps.pipe(
        Effect.delay("50 millis"),
        Effect.repeat({ until: (stored) => stored }),
        Effect.andThen(say("asleep")),
        Effect.forkScoped
      )
    }
    if (!start) return
    for (let index = 1; index <= more; index++) yield* Steps.execute({ id: ` ${index}`, nap: 0 }, { discard: true })
    yield* Steps.execute({ id: "", nap }).pipe(Effect.andThen(say("ended")), Effect.forkScoped)
  })

/** Runs until its scope ends, over an engine. */
export const layerStepped = (process: SteppedProcess) =>
  Layer.effectDiscard(begin(process)).pipe(Layer.provide(steps(process)))
