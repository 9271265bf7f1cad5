/**
 * Runs the contract suite of the workflow engine on every engine: on SQLite, on PostgreSQL, and the one in memory that
 * simulated worlds run on. Each case gets a new store.
 */
import { describe } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { FinishedWork } from "../../../ports/store/operations/FinishedWork.ts"
import type { Workflows } from "../../../ports/store/operations/Workflows.ts"
import * as Memory from "../../../property-tests/memory-store/index.ts"
import { layerPolling, layerWorkflowEngine } from "../cluster/WorkflowEngine.ts"
import * as SqlFinishedWork from "../operations/FinishedWork.ts"
import * as SqlWorkflows from "../operations/Workflows.ts"
import { describeEngines, TestDatabase } from "./engines.ts"
import type { DatabaseLayer, EngineLayer } from "./engines.ts"
import { layerStepped } from "./SteppedWorkflow.ts"
import type { SteppedOptions } from "./SteppedWorkflow.ts"

/** A process that reports the steps of its workflow. */
export interface Host {
  /** Waits until the process has reported this step. */
  readonly saw: (step: string) => Effect.Effect<void>
  /** Waits for a log line that contains this text. */
  readonly said: (text: string) => Effect.Effect<void>
  /** All steps so far. */
  readonly steps: () => ReadonlyArray<string>
  readonly kill: Effect.Effect<void>
}

const hostOf = (seen: ReadonlyArray<string>, kill: Effect.Effect<void>): Host => {
  const until = (holds: () => boolean) =>
    Effect.gen(function*() {
      while (!holds()) yield* Effect.sleep(5)
    }).pipe(Effect.timeout("300 seconds"), Effect.orDie)
  return {
    saw: (step) => until(() => seen.includes(step)),
    said: (text) => until(() => seen.some((line) => line.includes(text))),
    steps: () => [...seen],
    kill
  }
}

const HOST = fileURLToPath(new URL("./workflow-host.ts", import.meta.url))

/** A child process with a runner on the store under test. It is killed at the latest when the scope ends. */
export const spawnHost = (...args: ReadonlyArray<string>): Effect.Effect<Host, never, TestDatabase | Scope.Scope> =>
  Effect.gen(function*() {
    const url = yield* TestDatabase
    const seen: Array<string> = []
    const child = spawn(process.execPath, [HOST, ...args], {
      env: { ...process.env, DATABASE_URL: Redacted.value(url) },
      stdio: ["ignore", "pipe", "inherit"]
    })
    createInterface({ input: child.stdout }).on("line", (step) => seen.push(step))
    const kill = Effect.callback<void>((resume) => {
      if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
      child.once("exit", () => resume(Effect.void))
      child.kill("SIGKILL")
    })
    yield* Effect.addFinalizer(() => kill)
    return hostOf(seen, kill)
  })

/** Starts processes, one at a time, on one store. */
export class Processes extends Context.Service<Processes, {
  readonly start: (options: Partial<SteppedOptions>) => Effect.Effect<Host, never, Scope.Scope>
  /** Milliseconds of a sleep that outlasts the start of a process. */
  readonly nap: number
}>()("causeway/adapters/storage/testing/Processes") {}

const spawned = Layer.effect(
  Processes,
  Effect.map(TestDatabase, (database) => ({
    nap: 8_000,
    start: ({ hold, nap = 0, start }) =>
      spawnHost(...start === true ? ["--start"] : [], ...hold === true ? ["--hold"] : [], "--nap", String(nap)).pipe(
        Effect.provideService(TestDatabase, database)
      )
  }))
)

/** A process that is killed reaches its store no more, neither while it ends nor afterwards. */
const startInMemory = (store: Memory.MemoryStore["Service"]): Processes["Service"]["start"] => (options) =>
  Effect.gen(function*() {
    const seen: Array<string> = []
    let isAlive = true
    const passes = () => isAlive ? undefined : Effect.die("killed")
    const own = Memory.reachedThrough(store, {
      begins: () => undefined,
      beforeCall: passes,
      beforeCommit: passes,
      afterCommit: passes
    })
    const scope = yield* Scope.make()
    const kill = Effect.suspend(() => {
      isAlive = false
      return Scope.close(scope, Exit.void)
    })
    yield* Effect.addFinalizer(() => kill)
    const stepped = layerStepped({
      start: false,
      hold: false,
      nap: 0,
      more: 0,
      ...options,
      say: (step) => Effect.sync(() => void (isAlive && seen.push(step))),
      sleeps: Effect.orDie(store.call("sleeps", ({ clocks }) => clocks.all().length > 0))
    })
    yield* Layer.buildWithScope(
      stepped.pipe(Layer.provide(Memory.layerWorkflowEngine), Layer.provide(Layer.succeed(Memory.MemoryStore, own))),
      scope
    )
    return hostOf(seen, kill)
  })

const inMemory = Layer.effect(
  Processes,
  Effect.map(Memory.MemoryStore, (store) => ({ nap: 300, start: startInMemory(store) }))
).pipe(Layer.provide(Memory.MemoryStore.layer))

/** What an engine stores beside what its ports say. */
export class EngineTables extends Context.Service<EngineTables, {
  /** Ids of all executions that are stored, in order. */
  readonly executions: Effect.Effect<ReadonlyArray<string>>
  /** Replies that belong to no execution. */
  readonly orphans: Effect.Effect<number>
}>()("causeway/adapters/storage/testing/EngineTables") {}

const sqlTables = Layer.effect(
  EngineTables,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    executions: sql<{ readonly id: string }>`
      SELECT DISTINCT entity_id AS id FROM cluster_messages ORDER BY entity_id`.pipe(
      Effect.map((rows) => rows.map(({ id }) => id)),
      Effect.orDie
    ),
    orphans: sql`SELECT id FROM cluster_replies WHERE request_id NOT IN (SELECT id FROM cluster_messages)`.pipe(
      Effect.map((rows) => rows.length),
      Effect.orDie
    )
  }))
)

const memoryTables = Layer.effect(
  EngineTables,
  Effect.map(Memory.MemoryStore, ({ call }) => ({
    executions: Effect.orDie(call("executions", ({ executions }) => executions.all().map(({ id }) => id).toSorted())),
    orphans: Effect.orDie(
      call(
        "orphans",
        ({ activities, clocks, deferreds, executions }) =>
          [...activities.all(), ...deferreds.all(), ...clocks.all()].filter(({ execution }) =>
            !executions.has(execution)
          )
            .length
      )
    )
  }))
)

type EngineServices = EngineTables | FinishedWork | WorkflowEngine | Workflows

interface EngineSuite {
  readonly name: "sqlite" | "postgres" | "memory"
  /** The engine of this process, over a new store. */
  readonly engine: Layer.Layer<EngineServices, unknown>
  /** The same, which asks the store once a day only. */
  readonly unpolled: Layer.Layer<EngineServices, unknown>
  /** Other processes, over a new store. */
  readonly processes: Layer.Layer<Processes, unknown>
  /** The URL of a new store, not opened. Without one the engine has no tables. */
  readonly database: DatabaseLayer | undefined
  readonly layer: EngineLayer | undefined
}

const sqlPorts = Layer.mergeAll(SqlFinishedWork.layer, SqlWorkflows.layer, sqlTables)

/** One `describe` for each engine; call it once per file. */
export const describeWorkflowEngines = (suite: (engine: EngineSuite) => void): void => {
  describeEngines((name, layer, database) => {
    const over = (engine: typeof layerWorkflowEngine) =>
      sqlPorts.pipe(Layer.provideMerge(engine), Layer.provideMerge(layer))
    suite({
      name,
      engine: over(layerWorkflowEngine),
      unpolled: over(layerPolling("1 day")),
      processes: Layer.provide(spawned, database),
      database,
      layer
    })
  })
  const engine = Layer.mergeAll(Memory.layerPorts, memoryTables).pipe(
    Layer.provideMerge(Memory.layerWorkflowEngine),
    Layer.provide(Memory.MemoryStore.layer)
  )
  // It polls nothing.
  describe("in memory", () =>
    suite({ name: "memory", engine, unpolled: engine, processes: inMemory, database: undefined, layer: undefined }))
}
