/**
 * A child process of `WorkflowEngine.test.ts`: runs one runner on the store in DATABASE_URL until it is killed, and
 * reports each step of `SteppedWorkflow.ts` on its output.
 * - `port` makes it a runner of a cluster, `patience` one that waits for others for so many seconds.
 * - all others are options of `SteppedWorkflow.ts`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Duration, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { parseArgs } from "node:util"
import { layerDatabase } from "../engine/Database.ts"
import { layerClusterEngine, layerWorkflowEngine } from "../cluster/WorkflowEngine.ts"
import { layerStepped } from "./SteppedWorkflow.ts"

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

const engine = values.port === undefined
  ? layerWorkflowEngine
  : layerClusterEngine({
    host: "127.0.0.1",
    port: Number(values.port),
    patience: Duration.seconds(Number(values.patience))
  })

/** The engine stores a sleep as a message to be delivered later. */
const stepped = Layer.unwrap(Effect.map(SqlClient.SqlClient, (sql) =>
  layerStepped({
    start: values.start,
    hold: values.hold,
    nap: Number(values.nap),
    more: Number(values.more),
    say: (step) => Effect.sync(() => process.stdout.write(`${step}\n`)),
    sleeps: sql`SELECT entity_type FROM cluster_messages WHERE deliver_at IS NOT NULL`.pipe(
      Effect.map((rows) => rows.length > 0),
      Effect.orDie
    )
  })))

stepped.pipe(
  Layer.provide(engine),
  Layer.provide(layerDatabase(Redacted.make(process.env["DATABASE_URL"] ?? ""))),
  Layer.launch,
  NodeRuntime.runMain
)
