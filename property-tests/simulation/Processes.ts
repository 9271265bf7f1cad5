/**
 * Keeps a process of the service running in a simulated world: starts it, waits until it is killed or told to end, and
 * starts the next one on the same store. Users and operators reach the one that runs.
 */
import { Clock, Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import type { Environment } from "../../hosts/transfer/config/Environment.ts"
import type { Dice } from "./Dice.ts"
import type { WorldPrices } from "./faults/Prices.ts"
import type { StoreMoods } from "./faults/StoreMoods.ts"
import type { Faults } from "./Faults.ts"
import { makeGate } from "./Gate.ts"
import type { Gate } from "./Gate.ts"
import type { Hole } from "./holes/Hole.ts"
import { layerService } from "./Service.ts"
import type { Reached, ServiceParts } from "./Service.ts"
import type { OpenStore } from "./Store.ts"

export interface Running {
  readonly hole: Hole
  readonly dice: Dice
  readonly faults: Faults
  /** How a process reaches the chains. `context`: of the run, because clients call from fibers of their own. */
  readonly reach: (gate: Gate, context: Context.Context<never>) => Reached
  readonly store: OpenStore
  readonly storeMoods: StoreMoods
  readonly prices: WorldPrices
  readonly environment: Environment
  readonly context: Context.Context<never>
  readonly tell: (event: string) => void
}

/**
 * Calls a use case of the process that runs. Undefined when none does, when it dies meanwhile, and when it refuses or
 * fails.
 */
export type Use = <A, E>(call: Effect.Effect<A, E, ServiceParts>) => Effect.Effect<A | undefined>

const TROUBLE_EVERY_MS = 5_000
/** An orderly end takes no longer: then the process is killed, as its supervisor would. */
const PATIENCE_MS = 15_000
const FREEZES_MS = [1_000, 60_000] as const
/** How long a process goes on with work that another one has taken over, until it notices and ends. */
const GOES_ON_MS = [1_000, 60_000] as const
/** The clock of a process is this wrong at most, milliseconds. */
export const CLOCK_MS = 10_000

/** The world's clock, as a process reads it that is so many milliseconds wrong. */
const clockApart = (clock: Clock.Clock, apart: number): Clock.Clock => {
  const millis = () => clock.currentTimeMillisUnsafe() + apart
  const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(apart) * 1_000_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

export const supervise = (running: Running) => {
  const { context, dice, faults, hole, prices, reach, store, storeMoods, tell } = running
  let { environment } = running
  let current: { readonly gate: Gate; readonly parts: Context.Context<ServiceParts> } | undefined
  /** Of all processes, those that were overtaken too. */
  const gates = new Set<Gate>()
  let maintenance: Effect.Effect<void> = Effect.void

  const whileStopped = (work: Effect.Effect<void>) =>
    Effect.sync(() => {
      maintenance = work
      for (const gate of gates) gate.kill("by an operator")
    })

  /** Stops every process. The next ones have these settings. */
  const reconfigure = (change: (environment: Environment) => Environment) =>
    whileStopped(Effect.sync(() => {
      environment = change(environment)
    }))

  const use: Use = (call) =>
    Effect.suspend(() => {
      if (current === undefined) return Effect.undefined
      const { gate, parts } = current
      return gate.whileOpen(call.pipe(Effect.provideContext(parts), Effect.catchCause(() => Effect.undefined)))
    })

  /** The process stands still at times, or is told to end. */
  const troubles = Effect.fnUntraced(function*(gate: Gate, scope: Scope.Closeable, own: Dice) {
    while (true) {
      yield* Effect.sleep(TROUBLE_EVERY_MS)
      if (faults.strikes("process-freezes", 0.02)) {
        const lasts = own.between(...FREEZES_MS)
        tell(`the process stands still for ${Math.round(lasts / 1_000)} seconds`)
        yield* gate.freeze(lasts)
      }
      if (store.letsProcessesOverlap && faults.strikes("process-overtaken", 0.02)) {
        const [lasts, goesOn] = [own.between(...FREEZES_MS), own.between(...GOES_ON_MS)]
        tell(`the process stands still for ${Math.round(lasts / 1_000)} seconds, and another one takes over`)
        const waking = gate.freeze(lasts).pipe(
          Effect.andThen(Effect.sleep(goesOn)),
          Effect.andThen(Effect.sync(() => gate.kill("when it noticed that it was overtaken"))),
          Effect.andThen(Scope.close(scope, Exit.void))
        )
        yield* Effect.forkDetach(waking)
        return "overtaken" as const
      }
      if (faults.strikes("process-stops", 0.02)) {
        current = undefined
        const ending = yield* Effect.forkDetach(Scope.close(scope, Exit.void))
        yield* Effect.raceFirst(Fiber.await(ending), Effect.sleep(PATIENCE_MS))
        return "when it was told to end"
      }
    }
  })

  const start = (nth: number, gate: Gate, clock: Clock.Clock, scope: Scope.Scope) =>
    Layer.buildWithScope(
      layerService(
        environment,
        store.processOf({ gate, faults, moods: storeMoods, dice: dice.of(`store ${nth}`) }),
        reach(gate, context),
        hole,
        prices
      ),
      scope
    ).pipe(
      Effect.provideService(Clock.Clock, clock),
      Effect.exit,
      Effect.raceFirst(Effect.as(Deferred.await(gate.killed), undefined))
    )

  const live = Effect.gen(function*() {
    const real = yield* Clock.Clock
    for (let nth = 1;; nth += 1) {
      const due = maintenance
      maintenance = Effect.void
      yield* due
      const own = dice.of(`process ${nth}`)
      const gate = makeGate(() => faults.strikes("kill", 0.0005))
      gates.add(gate)
      const scope = yield* Scope.make()
      const apart = faults.strikes("process-clock-apart", 0.5) ? own.between(-CLOCK_MS, CLOCK_MS) : 0
      const clock = apart === 0 ? real : clockApart(real, apart)
      const built = yield* start(nth, gate, clock, scope)
      if (built !== undefined && Exit.isSuccess(built)) {
        current = { gate, parts: Context.add(built.value, Clock.Clock, clock) }
        tell(`process ${nth} is up${apart === 0 ? "" : `, its clock ${apart} ms wrong`}`)
        const end = yield* Effect.raceFirst(Deferred.await(gate.killed), troubles(gate, scope, own))
        if (end === "overtaken") {
          current = undefined
          continue
        }
        tell(`process ${nth} is killed ${end}`)
        gate.kill(end)
      } else {
        tell(`process ${nth} does not start`)
        gate.kill("at its start")
      }
      current = undefined
      // Nobody waits for the finalizers of a dead process. They can hang, because nothing that they ask is answered,
      // and the run does not wait for them at its end.
      yield* Effect.forkDetach(Scope.close(scope, Exit.void))
      yield* Effect.sleep(dice.between(0, 20_000))
    }
  })
  return { use, live, whileStopped, reconfigure }
}
