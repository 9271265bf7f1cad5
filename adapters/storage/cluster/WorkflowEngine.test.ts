/**
 * What the workflow engine guarantees: nothing runs twice, a killed process loses nothing, and nothing waits for a
 * poll.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Layer, Option, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Activity, DurableClock, DurableDeferred, Workflow } from "effect/workflow"
import { anyFree } from "../../../hosts/localnet/nodes/Port.ts"
import { FinishedWork } from "../../../ports/store/operations/FinishedWork.ts"
import { Workflows } from "../../../ports/store/operations/Workflows.ts"
import { describeWorkflowEngines, EngineTables, Processes, spawnHost } from "../testing/WorkflowEngines.ts"

const Job = Workflow.make("Job", {
  payload: { id: Schema.String, next: Schema.Literals(["end", "child", "child and sleep", "wait"]) },
  idempotencyKey: ({ id }) => id
})

/** Activities that ran, by job. */
const ran = new Map<string, number>()
const mark = (id: string) => Effect.sync(() => void ran.set(id, ranOf(id) + 1))
const ranOf = (id: string): number => ran.get(id) ?? 0

const Signal = DurableDeferred.make("signal", { success: Schema.String })

const jobs = Job.toLayer(Effect.fnUntraced(function*({ id, next }) {
  yield* Activity.make({ name: "first", execute: mark(id) })
  yield* Activity.make({ name: "second", execute: mark(id) })
  if (next === "wait") {
    const said = yield* DurableDeferred.await(Signal)
    return yield* Activity.make({ name: "third", execute: mark(`${id} ${said}`) })
  }
  if (next !== "end") yield* Job.execute({ id: `${id}/child`, next: "end" })
  if (next === "child and sleep") yield* DurableClock.sleep({ name: "long", duration: "1 hour" })
}))

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

describeWorkflowEngines(({ database, engine, layer, name, processes, unpolled }) => {
  const embedded = Layer.provideMerge(jobs, engine)

  it.live("a killed process's execution continues once another process is up", () =>
    Effect.gen(function*() {
      const { start } = yield* Processes
      const first = yield* start({ start: true, hold: true })
      yield* first.saw("holding")
      yield* first.kill
      assert.deepStrictEqual(first.steps(), ["up", "one", "two", "holding"])
      const second = yield* start({})
      yield* second.saw("three")
      assert.sameMembers([...second.steps()], ["up", "three"])
      // Asking for it again does not start it again, neither while it ends nor afterwards.
      for (let again = 0; again < 2; again++) {
        yield* second.kill
        const next = yield* start({ start: true })
        yield* next.saw("ended")
        assert.deepStrictEqual(next.steps().filter((step) => step === "one" || step === "two"), [])
        yield* next.kill
      }
    }).pipe(Effect.scoped, Effect.provide(processes)))

  it.live("a stored sleep ends at its time, although the process was killed meanwhile and would sleep longer now", () =>
    Effect.gen(function*() {
      const { nap, start } = yield* Processes
      const first = yield* start({ start: true, nap })
      yield* first.saw("asleep")
      yield* first.kill
      // A sleep that started again would last a day.
      const second = yield* start({ nap: 86_400_000 })
      yield* second.saw("awake")
      assert.sameMembers(second.steps().filter((step) => step !== "asleep"), ["up", "awake"])
    }).pipe(Effect.scoped, Effect.provide(processes)))

  it.live("neither the first activity nor the next waits for a poll", () =>
    Effect.gen(function*() {
      // An execution that waited for a poll would wait a day.
      for (const id of Array.from({ length: 15 }, (_, index) => `latency ${index}`)) {
        yield* Job.execute({ id, next: "end" })
        assert.strictEqual(ranOf(id), 2)
      }
      ran.clear()
    }).pipe(Effect.provide(Layer.provideMerge(jobs, unpolled))))

  it.live("many concurrent requests run an execution once", () =>
    Effect.gen(function*() {
      const ask = Job.execute({ id: "asked", next: "end" })
      yield* Effect.all(Array.from({ length: 10 }, () => ask), { concurrency: 10 })
      assert.strictEqual(ranOf("asked"), 2)
      ran.clear()
    }).pipe(Effect.provide(embedded)))

  it.live("an execution that waits for a deferred is suspended, and its first result alone continues it", () =>
    Effect.gen(function*() {
      const execution = yield* Job.execute({ id: "waits", next: "wait" }, { discard: true })
      const token = DurableDeferred.tokenFromExecutionId(Signal, { workflow: Job, executionId: execution })
      const result = yield* Job.poll(execution).pipe(
        Effect.repeat({ until: Option.isSome, schedule: Schedule.spaced("5 millis") })
      )
      assert.strictEqual(Option.getOrThrow(result)._tag, "Suspended")
      yield* DurableDeferred.succeed(Signal, { token, value: "one" })
      yield* DurableDeferred.succeed(Signal, { token, value: "two" })
      yield* Job.execute({ id: "waits", next: "wait" })
      assert.deepStrictEqual([ranOf("waits"), ranOf("waits one"), ranOf("waits two")], [2, 1, 0])
      ran.clear()
    }).pipe(Effect.provide(embedded)))

  it.live("an interrupted execution ends without another step", () =>
    Effect.gen(function*() {
      const execution = yield* Job.execute({ id: "stops", next: "wait" }, { discard: true })
      while (ranOf("stops") < 2) yield* Effect.sleep(10)
      yield* Job.interrupt(execution)
      const result = yield* Job.poll(execution).pipe(
        Effect.map(Option.getOrUndefined),
        Effect.repeat({ until: (found) => found?._tag === "Complete", schedule: Schedule.spaced("5 millis") })
      )
      assert.isTrue(result?._tag === "Complete" && Exit.hasInterrupts(result.exit))
      assert.strictEqual(ranOf("stops"), 2)
      ran.clear()
    }).pipe(Effect.provide(embedded)))

  it.live("executions that have begun and not ended are counted, asleep or at work, and nothing else", () =>
    Effect.gen(function*() {
      const { unfinished } = yield* Workflows
      yield* Job.execute({ id: "counted", next: "end" })
      assert.strictEqual(yield* unfinished, 0)
      const jobs = ["one", "two"].map((id) => ({ id: `counted ${id}`, next: "child and sleep" as const }))
      yield* Effect.forEach(jobs, (job) => Job.execute(job, { discard: true }))
      assert.isAtLeast(yield* unfinished, 2)
      while (jobs.some(({ id }) => ranOf(`${id}/child`) < 2)) yield* Effect.sleep(10)
      // The children have run and end; the sleeping executions do not.
      yield* Effect.repeat(unfinished, { until: (count) => count === 2, schedule: Schedule.spaced("10 millis") })
      ran.clear()
    }).pipe(Effect.provide(embedded)))

  it.live("cleaning removes what completed long ago and keeps the rest, including children of running executions", () =>
    Effect.gen(function*() {
      const { executions, orphans } = yield* EngineTables
      const { forget } = yield* FinishedWork
      yield* Job.execute({ id: "done", next: "end" })
      yield* Job.execute({ id: "parent", next: "child" })
      yield* Job.execute({ id: "asleep", next: "child and sleep" }, { discard: true })
      while (ranOf("asleep/child") < 2) yield* Effect.sleep(10)
      assert.strictEqual((yield* executions).length, 5)
      assert.strictEqual(yield* forget(Duration.days(1)), 0)
      assert.strictEqual(yield* inDays(2)(forget(Duration.days(1))), 3)
      assert.strictEqual(yield* inDays(2)(forget(Duration.days(1))), 0)
      const asleep = yield* Job.executionId({ id: "asleep", next: "child and sleep" })
      const child = yield* Job.executionId({ id: "asleep/child", next: "end" })
      assert.deepStrictEqual(yield* executions, [asleep, child].toSorted())
      assert.strictEqual(yield* orphans, 0)
      ran.clear()
    }).pipe(Effect.provide(embedded)))

  if (name === "postgres" && database !== undefined && layer !== undefined) {
    describe("a cluster", () => {
      it.live("another runner takes over all work of a killed one, and repeats none of it", () =>
        Effect.gen(function*() {
          const names = ["", " 1", " 2", " 3", " 4", " 5"]
          const ports = yield* Effect.all([anyFree, anyFree])
          const first = yield* spawnHost("--start", "--more", "5", "--hold", "--port", String(ports[0]))
          for (const name of names) yield* first.saw(`holding${name}`)
          const second = yield* spawnHost("--port", String(ports[1]))
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
          const first = yield* spawnHost("--start", "--more", "11", "--hold", ...patient, String(ports[0]))
          for (const name of names) yield* first.saw(`holding${name}`)
          const second = yield* spawnHost(...patient, String(ports[1]))
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
          const first = yield* spawnHost("--start", "--hold", "--port", String(ports[0]))
          yield* first.saw("holding")
          yield* first.kill
          yield* failFirstResets(3).pipe(Effect.provide(layer))
          const second = yield* spawnHost("--port", String(ports[1]))
          yield* second.saw("three")
          assert.notInclude(second.steps(), "two")
        }).pipe(Effect.scoped, Effect.provide(database)))
    })
  }
})
