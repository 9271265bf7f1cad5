/**
 * The runs of one process: each replays its execution from the stored replies, and stores its result. The process that
 * is stopped abandons its runs without a result, so that the next one replays them.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Workflow from "effect/workflow/Workflow"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import type { ExecutionRow } from "../rows/WorkflowRows.ts"
import type { StoredWork } from "./StoredWork.ts"

type Instance = WorkflowEngine.WorkflowInstance["Service"]
type Result = Workflow.Result<unknown, unknown>

export interface Registered {
  readonly workflow: Workflow.Any
  readonly execute: Parameters<WorkflowEngine.Encoded["register"]>[1]
}

/** A failed run goes on only when it is asked to explicitly. */
export type Wake = "explicit" | "automatic"

interface Run {
  readonly instance: Instance
  /** Undefined for the moment before it is forked. */
  fiber: Fiber.Fiber<Result> | undefined
  interrupt: ExecutionRow["interrupt"]
  /** The strongest wake since it began: what woke it may have come after it looked. */
  wake: Wake | undefined
}

/** What this process holds of an execution. Scopes of suspended runs stay open until the last run has ended. */
interface Held {
  readonly scope: Scope.Closeable
  readonly instances: Array<Instance>
  run: Run | undefined
}

const isOver = (result: Result | undefined, wake: Wake): boolean =>
  result !== undefined && (result._tag === "Complete" || (wake === "automatic" && result.failed === true))

/** `engine`: given to the workflows. */
export const makeRuns = (work: StoredWork, engine: () => WorkflowEngine.WorkflowEngine["Service"]) => {
  const registered = new Map<string, Registered>()
  const held = new Map<string, Held>()
  const ended = new Map<string, Deferred.Deferred<void>>()
  const deferreds = WorkflowEngine.makeDeferredState()
  const scope = Scope.makeUnsafe()

  const holdingOf = (id: string): Held => {
    const known = held.get(id)
    if (known !== undefined) return known
    const made: Held = { scope: Scope.makeUnsafe(), instances: [], run: undefined }
    held.set(id, made)
    return made
  }

  /** A safe interrupt takes effect when the run would be suspended, a forced one in any case. */
  const heedInterrupt = (holding: Held, instance: Instance) => (exit: Exit.Exit<unknown, unknown>) =>
    Effect.suspend(() => {
      const asked = holding.run?.interrupt ?? "none"
      const stops = asked === "forced" || (asked === "asked" && (instance.suspended || instance.abandoned ||
        (Context.get(instance.workflow.annotations, Workflow.SuspendOnFailure) && Exit.isFailure(exit))))
      if (!stops) return Effect.void
      instance.interrupted = true
      instance.suspended = false
      return Effect.withFiber((fiber) => Effect.interruptible(Fiber.interrupt(fiber)))
    })

  const finish = ({ id, parent }: ExecutionRow, holding: Held) => (exit: Exit.Exit<Result>): Effect.Effect<void> => {
    const wake = holding.run?.wake
    holding.run = undefined
    if (Exit.isSuccess(exit) && exit.value._tag === "Suspended") {
      return wake === undefined ? Effect.void : Effect.asVoid(Effect.forkIn(resume(id, wake), scope))
    }
    held.delete(id)
    const told = ended.get(id)
    ended.delete(id)
    const woken = Exit.isSuccess(exit) && parent !== undefined
      ? Effect.forkIn(resume(parent, "automatic"), scope)
      : Effect.void
    return Scope.close(holding.scope, Exit.void).pipe(
      Effect.andThen(woken),
      Effect.andThen(told !== undefined && Exit.isSuccess(exit) ? Deferred.succeed(told, undefined) : Effect.void)
    )
  }

  /** Begins a run, unless the execution runs here or its workflow is not known yet. */
  const start = (row: ExecutionRow): Effect.Effect<void> =>
    Effect.suspend(() => {
      const entry = registered.get(row.workflow)
      const holding = holdingOf(row.id)
      if (entry === undefined || holding.run !== undefined) return Effect.void
      const instance = WorkflowEngine.WorkflowInstance.initial(entry.workflow, row.id, {
        scope: Scope.forkUnsafe(holding.scope)
      })
      holding.instances.push(instance)
      const running = entry.execute(row.payload, row.id).pipe(
        Effect.onExit(heedInterrupt(holding, instance)),
        Workflow.intoResult,
        Effect.provideService(WorkflowEngine.WorkflowEngine, engine()),
        (run) => deferreds.trackRun(instance, run),
        Effect.tap((result) => work.end(row.id, result)),
        Effect.onExit(finish(row, holding)),
        // What wakes a run interrupts it. Its result is stored all the same.
        Effect.uninterruptible
      )
      const run: Run = { instance, fiber: undefined, interrupt: row.interrupt, wake: undefined }
      holding.run = run
      return Effect.map(Effect.forkIn(running, scope), (fiber) => {
        run.fiber = fiber
      })
    })

  const resume = (id: string, wake: Wake): Effect.Effect<void> =>
    Effect.suspend(() => {
      const run = held.get(id)?.run
      if (run !== undefined) {
        run.wake = wake === "explicit" ? wake : run.wake ?? wake
        return Effect.void
      }
      return Effect.flatMap(work.find(id), (row) =>
        row === undefined || isOver(row.result, wake) ? Effect.void : start(row))
    })

  return {
    register: (entry: Registered) => Effect.sync(() => void registered.set(entry.workflow._tag, entry)),
    start,
    resume,
    running: (id: string) => held.get(id)?.run,
    completed: deferreds.deferredDone,
    /** Returns when the execution has completed in this process. */
    ended: (id: string) =>
      Effect.suspend(() => {
        const known = ended.get(id) ?? Deferred.makeUnsafe<void>()
        ended.set(id, known)
        return Effect.flatMap(work.find(id), (row) =>
          row?.result?._tag === "Complete" ? Effect.void : Deferred.await(known))
      }),
    /** Forks for as long as the process lives. */
    fork: <A>(effect: Effect.Effect<A>) => Effect.asVoid(Effect.forkIn(effect, scope)),
    stop: Effect.suspend(() => {
      for (const { instances } of held.values()) for (const instance of instances) instance.abandoned = true
      registered.clear()
      return Scope.close(scope, Exit.void)
    })
  }
}
