/** Rows of the workflow engine. Times are in milliseconds. */
import type * as Exit from "effect/Exit"
import type * as Workflow from "effect/workflow/Workflow"

export interface ExecutionRow {
  readonly id: string
  readonly workflow: string
  readonly payload: object
  /** The execution that waits for this one. */
  readonly parent: string | undefined
  /** `forced`: even a replay that would complete is interrupted. */
  readonly interrupt: "none" | "asked" | "forced"
  /** Undefined while it runs, also after its process was killed. */
  readonly result: Workflow.Result<unknown, unknown> | undefined
  readonly endedAt: number | undefined
}

interface Reply {
  readonly execution: string
  readonly name: string
  /** Encoded by the schema of what replied. */
  readonly exit: Exit.Exit<unknown, unknown>
}

export interface ActivityRow extends Reply {
  readonly attempt: number
}

export type DeferredRow = Reply

/** A stored sleep: its deferred is done at this time. */
export interface ClockRow {
  readonly execution: string
  readonly workflow: string
  readonly deferred: string
  readonly dueAt: number
}
