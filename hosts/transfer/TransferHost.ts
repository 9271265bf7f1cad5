/**
 * The transfer service as layers: the HTTP API, the worker, or both in one process.
 *
 * An embedded store has one owner, so on SQLite the API and the worker share a process; on PostgreSQL any number of
 * both share the database. Contains no rule: what happens is in `src/services`.
 */
import { Effect, Layer, Redacted } from "effect"
import { layerClusterEngine, layerWorkflowEngine } from "../../adapters/storage/engine/WorkflowEngine.ts"
import * as ClockCheck from "../../src/services/ClockCheck.ts"
import * as Accounts from "../../src/services/Accounts.ts"
import * as Filling from "../../src/services/filling/Filling.ts"
import * as Indexing from "../../src/services/Indexing.ts"
import * as LowWater from "../../src/services/LowWater.ts"
import * as Overviewing from "../../src/services/Overviewing.ts"
import * as Pausing from "../../src/services/Pausing.ts"
import * as Quoting from "../../src/services/Quoting.ts"
import * as Restoring from "../../src/services/Restoring.ts"
import * as Retrying from "../../src/services/Retrying.ts"
import * as Sending from "../../src/services/Sending.ts"
import * as Statuses from "../../src/services/Statuses.ts"
import * as Stuck from "../../src/services/Stuck.ts"
import * as Watchdog from "../../src/services/Watchdog.ts"
import * as Watching from "../../src/services/Watching.ts"
import * as Adapters from "./Adapters.ts"
import { readEnvironment } from "./Environment.ts"
import type { Environment } from "./Environment.ts"
import { withFailpoints } from "./crash/Failpoints.ts"
import * as HttpHost from "./HttpHost.ts"

const isEmbedded = ({ databaseUrl }: Environment): boolean => Redacted.value(databaseUrl).startsWith("sqlite:")

const http = (environment: Environment) =>
  Layer.merge(HttpHost.layer(environment), ClockCheck.layer).pipe(
    Layer.provide([
      Quoting.layer({ service: environment.serviceName, router: "causeway" }),
      Statuses.layer,
      Pausing.layer,
      Overviewing.layer.pipe(Layer.provide(Stuck.layer)),
      Retrying.layer,
      Accounts.layer,
      Indexing.layer
    ])
  )

const engine = (environment: Environment) =>
  isEmbedded(environment)
    ? layerWorkflowEngine
    : layerClusterEngine({ host: environment.runnerHost, port: environment.runnerPort })

const worker = (environment: Environment) =>
  Layer.mergeAll(Watching.layer, Sending.layer, Watchdog.layer, LowWater.layer, Restoring.layer).pipe(
    Layer.provide(Filling.layer),
    Layer.provide(engine(environment))
  )

const hosted = <E>(parts: (environment: Environment) => Layer.Layer<never, E, Layer.Success<ReturnType<typeof Adapters.layer>>>) =>
  Layer.unwrap(Effect.map(readEnvironment, (environment) => parts(environment).pipe(withFailpoints(environment), Layer.provide(Adapters.layer(environment)))))

/** The HTTP API; on an embedded store the worker too, because nobody else could run it. */
export const layerTransferHost = hosted((environment) => isEmbedded(environment) ? Layer.merge(http(environment), worker(environment)) : http(environment))

/** The worker alone: sees deposits and fills them. On an embedded store it is then the store's only owner. */
export const layerWorkerHost = hosted(worker)
