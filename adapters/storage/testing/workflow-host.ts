/**
 * A child process of `WorkflowEngine.test.ts`: runs one runner on the store in DATABASE_URL until it is killed, and
 * reports each step on its output.
 * - `start` asks for the execution and reports `ended` when it has ended.
 * - `hold` stops forever between the second and the third activity, to be killed there.
 * - `port` makes it a runner of a cluster, `patience` one that waits for others for so many seconds.
 * - `more` asks for this many more executions, whose steps carry their number.
 * - `nap` is the length of a sleep after the third activity that begins in this process: it reports `asleep` when the
 *   sleep is stored, and `awake` after it.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Duration, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Activity, DurableClock, Workflow } from "effect/workflow"
import { parseArgs } from "node:util"
import { layerDatabase } from "../engine/Database.ts"
import { layerClusterEngine, layerWorkflowEngine } from "../cluster/WorkflowEngine.ts"

const { values } = parseArgs({
  options: {
    start: { type: "boolean", default: false },
    hold: { type: "boolean", default: false },
    nap: { type: "string", default: "0" },
    more: { type: "string", default: "0" },
    port: { type: "string" },
    patience: { type: "string", default: "15" }
  }
})

const say = (step: string) => Effect.sync(() => process.stdout.write(`${step}\n`))

/** The engine stores a sleep as a message to be delivered later. */
const untilStored = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`SELECT entity_type FROM cluster_messages WHERE deliver_at IS NOT NULL`.pipe(
      Effect.delay("50 millis"),
      Effect.repeat({ until: (rows) => rows.length > 0 }),
      Effect.andThen(say("asleep"))
    )
)

const Steps = Workflow.make("Steps", {
  payload: { id: Schema.String, nap: Schema.Int },
  idempotencyKey: ({ id }) => id
})

const steps = Steps.toLayer(Effect.fnUntraced(function*({ id, nap }) {
  yield* Activity.make({ name: "one", execute: say(`one${id}`) })
  yield* Activity.make({ name: "two", execute: say(`two${id}`) })
  if (values.hold) {
    yield* say(`holding${id}`)
    return yield* Effect.never
  }
  yield* Activity.make({ name: "three", execute: say(`three${id}`) })
  if (nap > 0) {
    yield* DurableClock.sleep({ name: "nap", duration: Number(values.nap), inMemoryThreshold: 0 })
    yield* Activity.make({ name: "awake", execute: say(`awake${id}`) })
  }
}))

const engine = values.port === undefined
  ? layerWorkflowEngine
  : layerClusterEngine({
    host: "127.0.0.1",
    port: Number(values.port),
    patience: Duration.seconds(Number(values.patience))
  })

const start = Effect.gen(function*() {
  yield* say("up")
  if (values.nap !== "0") yield* Effect.forkScoped(Effect.orDie(untilStored))
  if (!values.start) return
  for (let index = 1; index <= Number(values.more); index++) {
    yield* Steps.execute({ id: ` ${index}`, nap: 0 }, { discard: true })
  }
  yield* Steps.execute({ id: "", nap: Number(values.nap) }).pipe(
    Effect.andThen(say("ended")),
    Effect.forkScoped
  )
})

Layer.effectDiscard(start).pipe(
  Layer.provide(steps),
  Layer.provide(engine),
  Layer.provide(layerDatabase(Redacted.make(process.env["DATABASE_URL"] ?? ""))),
  Layer.launch,
  NodeRuntime.runMain
)
