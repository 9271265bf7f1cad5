/**
 * Effect's durable workflow engine over the tables of the store in memory. What a process has stored survives it: the
 * next process on the same store continues every execution that has not ended. A completed activity never runs again.
 * One process at a time, as with the embedded engine on SQLite.
 *
 * Payloads and results of workflows are kept as they are; those of activities and deferreds are encoded by their
 * schemas.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { cast } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Activity from "effect/workflow/Activity"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import * as Workflow from "effect/workflow/Workflow"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { MemoryStore } from "../MemoryStore.ts"
import type { ClockRow } from "../rows/WorkflowRows.ts"
import { makeRuns } from "./Runs.ts"
import { makeStoredWork } from "./StoredWork.ts"
import type { StoredWork } from "./StoredWork.ts"

type Runs = ReturnType<typeof makeRuns>
type Encoded = WorkflowEngine.Encoded

const { WorkflowInstance } = WorkflowEngine
const suspended = new Workflow.Suspended({})

const runActivity = (work: StoredWork, runs: Runs) =>
  Effect.fnUntraced(function*(activity: Activity.Any, attempt: number) {
    const { executionId, interrupted, workflow } = yield* WorkflowInstance
    const known = yield* work.activity(executionId, activity.name, attempt)
    if (known !== undefined) return new Workflow.Complete({ exit: known.exit })
    // An interrupted run replays for its compensations, and does nothing new.
    if (!interrupted && (runs.running(executionId)?.interrupt ?? "none") !== "none") return suspended
    const own = WorkflowInstance.initial(workflow, executionId)
    own.interrupted = interrupted
    // Its services are those of the workflow.
    const execute = cast<unknown, Effect.Effect<unknown, unknown, WorkflowEngine.WorkflowInstance>>(
      activity.executeEncoded
    )
    const result = yield* Effect.provideService(Workflow.intoResult(execute), WorkflowInstance, own)
    if (result._tag === "Complete") {
      yield* work.keepActivity({ execution: executionId, name: activity.name, attempt, exit: result.exit })
    }
    return result
  })

const finishDeferred =
  (work: StoredWork, runs: Runs): Encoded["deferredDone"] => ({ deferredName, executionId, exit }) =>
    Effect.gen(function*() {
      yield* work.finishDeferred(executionId, deferredName, exit)
      const wake = Effect.andThen(runs.completed(executionId, deferredName), runs.resume(executionId, "automatic"))
      const inside = yield* Effect.serviceOption(WorkflowInstance)
      // A run does not wait for its own end.
      yield* Option.isSome(inside) && inside.value.executionId === executionId ? runs.fork(wake) : wake
    })

/** Waits until the clock is due, then rings it. */
const ring = (engine: () => WorkflowEngine.WorkflowEngine["Service"], clock: ClockRow) =>
  Effect.gen(function*() {
    yield* Effect.sleep(Math.max(0, clock.dueAt - (yield* Clock.currentTimeMillis)))
    yield* engine().deferredDone(DurableDeferred.make(clock.deferred), {
      workflowName: clock.workflow,
      executionId: clock.execution,
      deferredName: clock.deferred,
      exit: Exit.void
    })
  })

const executing = (work: StoredWork, runs: Runs) =>
  Effect.fnUntraced(function*(
    { _tag: workflow }: Workflow.Any,
    options: Parameters<Encoded["execute"]>[1]
  ): Effect.fn.Return<Workflow.Result<unknown, unknown>> {
    const { executionId: id, detached, parent, payload } = options
    const row = yield* work.begin({
      id,
      workflow,
      payload,
      parent: detached === true ? undefined : parent?.executionId
    })
    if (row.result?._tag === "Complete") return row.result
    if (row.result === undefined) yield* runs.start(row)
    const run = runs.running(id)
    if (options.discard || run?.fiber === undefined) return suspended
    const exit = yield* Fiber.await(run.fiber)
    // A run that is woken is interrupted: whoever waits asks again.
    return Exit.isFailure(exit) && run.instance.suspended ? suspended : yield* exit
  })

const make = Effect.gen(function*() {
  const work = makeStoredWork(yield* MemoryStore)
  const engine = (): WorkflowEngine.WorkflowEngine["Service"] => made
  const runs = makeRuns(work, engine)
  const ringing = new Set<string>()
  const execute = executing(work, runs)

  const arm = (clock: ClockRow | undefined) =>
    Effect.suspend(() => {
      const key = clock === undefined ? "" : `${clock.execution} ${clock.deferred}`
      if (clock === undefined || ringing.has(key)) return Effect.void
      ringing.add(key)
      return runs.fork(Effect.ensuring(ring(engine, clock), Effect.sync(() => ringing.delete(key))))
    })
  const interrupt = (id: string, how: "asked" | "forced") =>
    Effect.gen(function*() {
      const interrupted = yield* work.interrupt(id, how)
      const run = runs.running(id)
      if (run !== undefined && interrupted !== undefined) run.interrupt = interrupted
      if (run?.fiber !== undefined && how === "forced") yield* Fiber.interrupt(run.fiber)
      yield* runs.resume(id, "explicit")
    })

  const made = WorkflowEngine.makeUnsafe({
    register: (workflow, program) =>
      Effect.gen(function*() {
        yield* Effect.acquireRelease(runs.register({ workflow, execute: program }), () => runs.stop)
        const unfinished = yield* work.unfinished(workflow._tag)
        yield* runs.fork(Effect.forEach(unfinished, ({ id }) => runs.resume(id, "automatic"), { discard: true }))
      }),
    // With `discard` nobody reads the result.
    execute: (workflow, options) => cast(execute(workflow, options)),
    poll: (_, id) => Effect.map(work.find(id), (row) => Option.fromUndefinedOr(row?.result)),
    interrupt: (_, id) => interrupt(id, "asked"),
    interruptUnsafe: (_, id) => interrupt(id, "forced"),
    resume: (_, id) => runs.resume(id, "explicit"),
    awaitComplete: (_, id) => runs.ended(id),
    activityExecute: runActivity(work, runs),
    deferredResult: ({ name }) =>
      Effect.gen(function*() {
        const { executionId } = yield* WorkflowInstance
        return Option.map(Option.fromUndefinedOr(yield* work.deferred(executionId, name)), ({ exit }) => exit)
      }),
    deferredDone: finishDeferred(work, runs),
    scheduleClock: ({ _tag }, { clock: { deferred, duration }, executionId }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.flatMap(
          work.setClock({
            execution: executionId,
            workflow: _tag,
            deferred: deferred.name,
            dueAt: now + Duration.toMillis(duration)
          }),
          arm
        ))
  })
  yield* Effect.acquireRelease(Effect.flatMap(work.clocks, Effect.forEach(arm)), () => runs.stop)
  return made
})

/** The engine of one process, over the store that it shares with the processes before and after it. */
export const layer = Layer.effect(WorkflowEngine.WorkflowEngine, make)
