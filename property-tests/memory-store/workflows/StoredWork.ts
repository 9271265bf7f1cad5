/**
 * What the workflow engine reads and writes. Each is one call of the store, retried until the store has answered: a
 * write that is made twice changes nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import type * as Workflow from "effect/workflow/Workflow"
import type { MemoryStore } from "../MemoryStore.ts"
import type { ActivityRow, ClockRow, ExecutionRow } from "../rows/WorkflowRows.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"

const again = Schedule.spaced("1 second")

/** An execution of a workflow, before it has begun. */
export type NewExecution = Pick<ExecutionRow, "id" | "parent" | "payload" | "workflow">

export const makeStoredWork = ({ call }: MemoryStore["Service"]) => {
  const ask = <A>(operation: string, body: (tables: Tables) => A): Effect.Effect<A> =>
    call(`workflow ${operation}`, body).pipe(Effect.retry(again), Effect.orDie)
  return {
    find: (id: string) => ask("find", ({ executions }) => executions.get(id)),
    /** The execution, which begins unless it has begun before. */
    begin: (execution: NewExecution) =>
      ask("begin", ({ executions }): ExecutionRow => {
        const known = executions.get(execution.id)
        if (known !== undefined) return known
        const row: ExecutionRow = { ...execution, interrupt: "none", result: undefined, endedAt: undefined }
        executions.add(execution.id, row)
        return row
      }),
    unfinished: (workflow: string) => ask("unfinished", ({ unfinishedOf }) => unfinishedOf(workflow)),
    interrupt: (id: string, interrupt: "asked" | "forced") =>
      ask(
        "interrupt",
        ({ executions }) =>
          executions.change(id, (row) => row.interrupt === "forced" ? row : { ...row, interrupt })?.interrupt
      ),
    /**
     * The result of a run: `Suspended` until the last. A completed execution stays so, whatever a process says that no
     * longer has the work.
     */
    end: (id: string, result: Workflow.Result<unknown, unknown>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        ask(`end ${result._tag}`, ({ executions }) => {
          executions.change(
            id,
            (row) =>
              row.result?._tag === "Complete"
                ? row
                : { ...row, result, endedAt: result._tag === "Complete" ? now : undefined }
          )
        })),
    activity: (execution: string, name: string, attempt: number) =>
      ask("activity", ({ activities }) => activities.get(keyOf(execution, name, attempt))),
    /** The first reply stays. */
    keepActivity: (row: ActivityRow) =>
      ask(`step ${row.name}`, ({ activities }) => {
        const key = keyOf(row.execution, row.name, row.attempt)
        if (!activities.has(key)) activities.set(key, row)
      }),
    deferred: (execution: string, name: string) =>
      ask("deferred", ({ deferreds }) => deferreds.get(keyOf(execution, name))),
    /** The first exit stays. */
    finishDeferred: (execution: string, name: string, exit: Exit.Exit<unknown, unknown>) =>
      ask("deferred done", ({ clocks, deferreds }) => {
        const key = keyOf(execution, name)
        clocks.remove(key)
        if (!deferreds.has(key)) deferreds.set(key, { execution, name, exit })
      }),
    clocks: ask("clocks", ({ clocks }) => clocks.all()),
    /** The clock that is due: the first that was set, or none once it has rung. */
    setClock: (row: ClockRow) =>
      ask("clock", ({ clocks, deferreds }) => {
        const key = keyOf(row.execution, row.deferred)
        if (deferreds.has(key)) return undefined
        const known = clocks.get(key)
        if (known === undefined) clocks.set(key, row)
        return known ?? row
      })
  }
}

export type StoredWork = ReturnType<typeof makeStoredWork>
