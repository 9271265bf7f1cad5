/**
 * Time and turns of a simulated run. Nothing waits: when no fiber can go on, the clock jumps to the next moment at
 * which one asked to be woken. Fibers take turns in the order in which they became runnable.
 */
import { Duration, Effect } from "effect"
import type { Clock, Context, Exit, Scheduler } from "effect"

interface Waking {
  readonly at: number
  readonly nth: number
  /** Undefined once it is cancelled. */
  run: (() => void) | undefined
}

/** A binary heap: what is to be woken first, and of one moment what asked first. */
const makeAgenda = () => {
  const heap: Array<Waking> = []
  const isBefore = (one: number, other: number) => {
    const [a, b] = [heap[one], heap[other]]
    return a !== undefined && b !== undefined && (a.at < b.at || (a.at === b.at && a.nth < b.nth))
  }
  const swap = (one: number, other: number) => {
    const [a, b] = [heap[one], heap[other]]
    if (a !== undefined && b !== undefined) [heap[one], heap[other]] = [b, a]
  }
  return {
    add: (waking: Waking) => {
      let at = heap.push(waking) - 1
      for (let up = (at - 1) >> 1; at > 0 && isBefore(at, up); up = (at - 1) >> 1) {
        swap(at, up)
        at = up
      }
    },
    take: (): Waking | undefined => {
      swap(0, heap.length - 1)
      const first = heap.pop()
      for (let at = 0;;) {
        const [left, right] = [2 * at + 1, 2 * at + 2]
        const least = isBefore(right, left) ? right : left
        if (!isBefore(least, at)) return first
        swap(at, least)
        at = least
      }
    }
  }
}

export interface VirtualTime {
  readonly clock: Clock.Clock
  readonly scheduler: Scheduler.Scheduler
  /** Calls `run` after so many milliseconds, unless it is cancelled by what this returns. */
  readonly timer: (run: () => void, milliseconds: number) => () => void
  /** Runs an effect to its end. Fails when nothing is left that could ever go on. */
  readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>, context: Context.Context<R>) => Promise<Exit.Exit<A, E>>
}

/** What a run sets, as it was before the first one. */
const machine = {
  now: Date.now,
  random: Math.random,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  stackTraceLimit: Error.stackTraceLimit
}
let running = 0

/**
 * Adapters read in fibers of their own, which have the machine's scheduler: in a long read such a fiber lets others go
 * first, by `setImmediate`. That is a turn of the runs, too, which all share: were it left to the machine, the clock
 * would jump to the read's deadline meanwhile.
 */
let immediates: Array<Immediate> = []

interface Immediate {
  run: (() => void) | undefined
}

const takeImmediates = () => {
  const turns = immediates
  immediates = []
  for (const turn of turns) turn.run?.()
}

const letRunsTakeTurns = () => {
  const virtual = (run: (...given: ReadonlyArray<unknown>) => void, ...given: ReadonlyArray<unknown>) => {
    const turn: Immediate = { run: () => run(...given) }
    immediates.push(turn)
    return turn
  }
  Object.assign(globalThis, {
    setImmediate: virtual,
    clearImmediate: (turn: Immediate | undefined) => {
      if (turn !== undefined) turn.run = undefined
    }
  })
}

/**
 * Effect hashes objects by `Math.random`, and the order of its maps follows from that; its engine numbers its machine
 * by it. With one value for all, maps keep the order in which they were filled, whatever ran before in this process.
 * Nobody reads the stacks of the many errors that faults cause, so none is captured.
 */
export const withoutChance = async <A>(run: () => Promise<A>): Promise<A> => {
  running += 1
  Math.random = () => 0.5
  Error.stackTraceLimit = 0
  letRunsTakeTurns()
  try {
    return await run()
  } finally {
    running -= 1
    // Another run may take turns with this one.
    if (running === 0) {
      Math.random = machine.random
      Error.stackTraceLimit = machine.stackTraceLimit
      globalThis.setImmediate = machine.setImmediate
      globalThis.clearImmediate = machine.clearImmediate
      for (const { run: left } of immediates.splice(0)) if (left !== undefined) machine.setImmediate(left)
    }
  }
}

/** Turns between two in which the process reads and writes. */
const BREATHES_EVERY = 256

/** `start`: milliseconds of the epoch. */
export const makeVirtualTime = (start: number): VirtualTime => {
  const agenda = makeAgenda()
  let runnable: Array<() => void> = []
  let now = start
  let asked = 0

  const timer: VirtualTime["timer"] = (run, milliseconds) => {
    // Whole milliseconds, as a machine's clock shows them.
    const waking: Waking = { at: now + Math.ceil(Math.max(0, milliseconds)), nth: asked += 1, run }
    agenda.add(waking)
    return () => {
      waking.run = undefined
    }
  }
  /** False when nobody asked to be woken. */
  const advance = (): boolean => {
    let next = agenda.take()
    // Most requests are answered before their deadline, whose timer is cancelled: nothing can go on then.
    while (next !== undefined && next.run === undefined) next = agenda.take()
    if (next?.run === undefined) return false
    now = Math.max(now, next.at)
    next.run()
    return true
  }
  const takeTurns = () => {
    while (runnable.length + immediates.length > 0) {
      const turns = runnable
      runnable = []
      for (const turn of turns) turn()
      takeImmediates()
    }
  }
  const nanos = () => BigInt(Math.floor(now)) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => {
      const milliseconds = Duration.toMillis(duration)
      if (!Number.isFinite(milliseconds)) return Effect.never
      return Effect.callback<void>((resume) => {
        const cancel = timer(() => resume(Effect.void), milliseconds)
        return Effect.sync(cancel)
      })
    }
  }
  const scheduler: Scheduler.Scheduler = {
    executionMode: "async",
    shouldYield: (fiber) => fiber.currentOpCount >= fiber.cache.maxOpsBeforeYield,
    makeDispatcher: () => ({ scheduleTask: (task) => void runnable.push(task), flush: takeTurns })
  }
  let settled = 0
  /**
   * Adapters use promises. Each is settled before this returns: none of them waits for the world outside. A tick begins
   * when no promise can go on; now and then the process turns to its own input and output.
   */
  const settlePromises = () =>
    new Promise<void>((resume) => {
      settled += 1
      if (settled % BREATHES_EVERY === 0) machine.setImmediate(resume)
      else process.nextTick(resume)
    })

  return {
    clock,
    scheduler,
    timer,
    run: (effect, context) =>
      withoutChance(async () => {
        // Effect's cache asks the fiber that asked first for the time, also when that one has ended: then it has the
        // machine's clock, and what was read for a fiber that was interrupted would be kept until today. So that clock
        // shows virtual time during a run, each run's own where two of them take turns.
        const virtualNow = () => now
        Date.now = virtualNow
        try {
          const fiber = Effect.runForkWith(context)(effect)
          for (let exit = fiber.pollUnsafe();; exit = fiber.pollUnsafe()) {
            if (exit !== undefined) return exit
            takeTurns()
            await settlePromises()
            Date.now = virtualNow
            if (runnable.length + immediates.length === 0 && fiber.pollUnsafe() === undefined && !advance()) {
              throw new Error("the world stands still: nothing in it can go on")
            }
          }
        } finally {
          Date.now = machine.now
        }
      })
  }
}
