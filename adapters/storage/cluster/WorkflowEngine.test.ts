/**
 * What the workflow engine guarantees: nothing runs twice, a killed process loses nothing, and nothing waits for a
 * poll.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted, Schedule, Schema } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Activity, DurableClock, Workflow } from "effect/workflow"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { anyFree } from "../../../hosts/localnet/nodes/Port.ts"
import { FinishedWork } from "../../../ports/store/operations/FinishedWork.ts"
import * as SqlFinishedWork from "../operations/FinishedWork.ts"
import { describeEngines, TestDatabase } from "../testing/engines.ts"
import { Workflows } from "../../../ports/store/operations/Workflows.ts"
import * as SqlWorkflows from "../operations/Workflows.ts"
import { cleanFinishedWorkflows } from "./CleanFinishedWorkflows.ts"
import { layerPolling, layerWorkflowEngine } from "./WorkflowEngine.ts"

const HOST = fileURLToPath(new URL("../testing/workflow-host.ts", import.meta.url))

interface Host {
  /** Waits until the process has reported this step. */
  readonly saw: (step: string) => Effect.Effect<void>
  /** Waits for a log line that contains this text. */
  readonly said: (text: string) => Effect.Effect<void>
  /** All steps so far. */
  readonly steps: () => ReadonlyArray<string>
  readonly kill: Effect.Effect<void>
}

/** A process with a runner on the store under test. It is killed at the latest when the scope ends. */
const host = (...args: ReadonlyArray<string>): Effect.Effect<Host, never, TestDatabase | Scope.Scope> =>
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
    const until = (holds: () => boolean) =>
      Effect.gen(function*() {
        while (!holds()) yield* Effect.sleep(5)
      }).pipe(Effect.timeout("120 seconds"), Effect.orDie)
    const saw = (step: string) => until(() => seen.includes(step))
    const said = (text: string) => until(() => seen.some((line) => line.includes(text)))
    return { saw, said, steps: () => [...seen], kill }
  })

const Job = Workflow.make("Job", {
  payload: { id: Schema.String, next: Schema.Literals(["end", "child", "child and sleep"]) },
  idempotencyKey: ({ id }) => id
})

/** Activities that ran, by job. */
const ran = new Map<string, number>()
const mark = (id: string) => Effect.sync(() => void ran.set(id, ranOf(id) + 1))
const ranOf = (id: string): number => ran.get(id) ?? 0

const jobs = Job.toLayer(Effect.fnUntraced(function*({ id, next }) {
  yield* Activity.make({ name: "first", execute: mark(id) })
  yield* Activity.make({ name: "second", execute: mark(id) })
  if (next !== "end") yield* Job.execute({ id: `${id}/child`, next: "end" })
  if (next === "child and sleep") yield* DurableClock.sleep({ name: "long", duration: "1 hour" })
}))

const executions = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly id: string }>`SELECT DISTINCT entity_id AS id FROM cluster_messages ORDER BY entity_id`
).pipe(Effect.map((rows) => rows.map((row) => row.id)))

const inDays = (days: number) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const at = Date.now() + days * 86_400_000
    return TestClock.setTime(at).pipe(Effect.andThen(effect), Effect.provide(TestClock.layer()))
  })

/**
 * Makes the store refuse the first resets, which a runner requests when it takes over shards. A sequence counts them,
 * because a refusal rolls back everything else.
 */
const failFirstResets = (times: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE SEQUENCE resets`
    yield* sql.unsafe(`CREATE FUNCTION refuse_reset() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('resets') <= ${times} THEN RAISE EXCEPTION 'the store fails'; END IF;
        RETURN NEW;
      END $$`)
    yield* sql`CREATE TRIGGER refuse_reset BEFORE UPDATE ON cluster_messages FOR EACH ROW
      WHEN (OLD.last_read IS NOT NULL AND NEW.last_read IS NULL) EXECUTE FUNCTION refuse_reset()`
  })

describeEngines((name, layer, database) => {
  const embedded = jobs.pipe(Layer.provideMerge(layerWorkflowEngine), Layer.provideMerge(layer))

  it.live("a killed process's execution continues once another process is up", () =>
    Effect.gen(function*() {
      const first = yield* host("--start", "--hold")
      yield* first.saw("holding")
      yield* first.kill
      assert.deepStrictEqual(first.steps(), ["up", "one", "two", "holding"])
      const second = yield* host()
      yield* second.saw("three")
      assert.deepStrictEqual(second.steps(), ["up", "three"])
      // Asking for it again does not start it again, neither while it ends nor afterwards.
      for (let again = 0; again < 2; again++) {
        yield* second.kill
        const next = yield* host("--start")
        yield* next.saw("ended")
        assert.deepStrictEqual(next.steps().filter((step) => step === "one" || step === "two"), [])
        yield* next.kill
      }
    }).pipe(Effect.scoped, Effect.provide(database)))

  it.live("a stored sleep ends at its time, although the process was killed meanwhile and would sleep longer now", () =>
    Effect.gen(function*() {
      const first = yield* host("--start", "--nap", "8000")
      yield* first.saw("asleep")
      yield* first.kill
      // A sleep that started again would last a day.
      const second = yield* host("--nap", "86400000")
      yield* second.saw("awake")
      assert.deepStrictEqual(second.steps().filter((step) => step !== "asleep"), ["up", "awake"])
    }).pipe(Effect.scoped, Effect.provide(database)))

  it.live("neither the first activity nor the next waits for a poll", () =>
    Effect.gen(function*() {
      // An execution that waited for a poll would wait a day.
      for (const id of Array.from({ length: 15 }, (_, index) => `latency ${index}`)) {
        yield* Job.execute({ id, next: "end" })
        assert.strictEqual(ranOf(id), 2)
      }
    }).pipe(Effect.provide(jobs.pipe(Layer.provideMerge(layerPolling("1 day")), Layer.provideMerge(layer)))))

  it.live("many concurrent requests run an execution once", () =>
    Effect.gen(function*() {
      const ask = Job.execute({ id: "asked", next: "end" })
      yield* Effect.all(Array.from({ length: 10 }, () => ask), { concurrency: 10 })
      assert.strictEqual(ranOf("asked"), 2)
      ran.clear()
    }).pipe(Effect.provide(embedded)))

  it.live("executions that have begun and not ended are counted, asleep or at work, and nothing else", () =>
    Effect.gen(function*() {
      const { unfinished } = yield* Workflows
      yield* Job.execute({ id: "counted", next: "end" })
      assert.strictEqual(yield* unfinished, 0)
      const jobs = ["one", "two"].map((id) => ({ id: `counted ${id}`, next: "child and sleep" as const }))
      yield* Effect.forEach(jobs, (job) => Job.execute(job, { discard: true }))
      assert.strictEqual(yield* unfinished, 2)
      while (jobs.some(({ id }) => ranOf(`${id}/child`) < 2)) yield* Effect.sleep(10)
      // The children have run and end; the sleeping executions do not.
      yield* Effect.repeat(unfinished, { until: (count) => count === 2, schedule: Schedule.spaced("10 millis") })
      ran.clear()
    }).pipe(Effect.provide(SqlWorkflows.layer.pipe(Layer.provideMerge(embedded)))))

  it.live("cleaning removes what completed long ago and keeps the rest, including children of running executions", () =>
    Effect.gen(function*() {
      yield* Job.execute({ id: "done", next: "end" })
      yield* Job.execute({ id: "parent", next: "child" })
      yield* Job.execute({ id: "asleep", next: "child and sleep" }, { discard: true })
      while (ranOf("asleep/child") < 2) yield* Effect.sleep(10)
      const all = yield* executions
      assert.strictEqual(all.length, 5)
      assert.strictEqual(yield* cleanFinishedWorkflows("1 day"), 0)
      const work = yield* FinishedWork
      assert.strictEqual(yield* inDays(2)(work.forget(Duration.days(1))), 3)
      assert.strictEqual(yield* inDays(2)(work.forget(Duration.days(1))), 0)
      const asleep = yield* Job.executionId({ id: "asleep", next: "child and sleep" })
      const child = yield* Job.executionId({ id: "asleep/child", next: "end" })
      assert.deepStrictEqual(yield* executions, [asleep, child].toSorted())
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        yield* sql`SELECT id FROM cluster_replies WHERE request_id NOT IN (SELECT id FROM cluster_messages)`,
        []
      )
      ran.clear()
    }).pipe(Effect.provide(SqlFinishedWork.layer.pipe(Layer.provideMerge(embedded)))))

  if (name === "postgres") {
    describe("a cluster", () => {
      it.live("another runner takes over all work of a killed one, and repeats none of it", () =>
        Effect.gen(function*() {
          const names = ["", " 1", " 2", " 3", " 4", " 5"]
          const ports = yield* Effect.all([anyFree, anyFree])
          const first = yield* host("--start", "--more", "5", "--hold", "--port", String(ports[0]))
          for (const name of names) yield* first.saw(`holding${name}`)
          const second = yield* host("--port", String(ports[1]))
          yield* second.saw("up")
          yield* first.kill
          for (const name of names) yield* second.saw(`three${name}`)
          for (const name of names) assert.notInclude(second.steps(), `two${name}`)
        }).pipe(Effect.scoped, Effect.provide(database)))

      it.live("another runner detects a killed one without waiting for a missed ping, and takes over its work", () =>
        Effect.gen(function*() {
          const ports = yield* Effect.all([anyFree, anyFree])
          // A runner that does not ping counts as alive for an hour.
          const patient = ["--patience", "3600", "--port"]
          const names = ["", ...Array.from({ length: 11 }, (_, index) => ` ${index + 1}`)]
          const first = yield* host("--start", "--more", "11", "--hold", ...patient, String(ports[0]))
          for (const name of names) yield* first.saw(`holding${name}`)
          const second = yield* host(...patient, String(ports[1]))
          yield* second.said(`the runner at 127.0.0.1:${ports[0]} is up`)
          // Enough for the shards to be divided and a new runner's first ping to be answered.
          yield* Effect.sleep("4 seconds")
          yield* first.kill
          for (const name of names) yield* second.saw(`three${name}`)
          for (const name of names) assert.notInclude(second.steps(), `two${name}`)
        }).pipe(Effect.scoped, Effect.provide(database)))

      it.live("a runner takes over a killed one's work although the store fails meanwhile", () =>
        Effect.gen(function*() {
          const ports = yield* Effect.all([anyFree, anyFree])
          const first = yield* host("--start", "--hold", "--port", String(ports[0]))
          yield* first.saw("holding")
          yield* first.kill
          yield* failFirstResets(3).pipe(Effect.provide(layer))
          const second = yield* host("--port", String(ports[1]))
          yield* second.saw("three")
          assert.notInclude(second.steps(), "two")
        }).pipe(Effect.scoped, Effect.provide(database)))
    })
  }
})
