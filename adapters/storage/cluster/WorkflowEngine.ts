/**
 * Effect's durable workflow engine, stored in the same database as everything else: one runner embedded in this process
 * (`layerWorkflowEngine`), or several runners over one PostgreSQL (`layerClusterEngine`). A completed activity never
 * runs again. An activity that was running when its process died runs again, so every activity must be idempotent.
 * Nothing here reads the environment.
 *
 * `DurableClock.sleep` of a minute or less is kept in memory and starts again after a crash; pass `inMemoryThreshold:
 * 0` where that matters. A stored sleep ends up to one poll late.
 */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Duration, Effect, Layer, Option } from "effect"
import {
  ClusterWorkflowEngine,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SocketRunner,
  SqlRunnerStorage
} from "effect/cluster"
import type { MessageStorage } from "effect/cluster"
import { RpcSerialization } from "effect/rpc"
import type { SocketServer } from "effect/socket"
import { SqlClient } from "effect/sql"
import type { WorkflowEngine } from "effect/workflow"
import { changeTables } from "../engine/Migrations.ts"
import { layerWatchedRunners } from "./DeadRunners.ts"
import { layerRetriedResets } from "./RetriedResets.ts"
import * as StoredReplies from "./StoredReplies.ts"

/**
 * What both layers provide: the engine and the services that it uses (`cleanFinishedWorkflows` needs only the store).
 */
export type WorkflowServices = WorkflowEngine.WorkflowEngine | Sharding.Sharding | MessageStorage.MessageStorage

/**
 * The number of shards. An execution's shard is stored with it, so with another number stored executions would never be
 * read again. It is one constant for both engines, so that a cluster can continue what a single runner began.
 */
const SHARDS = 64

/**
 * Effect's tables, with two indexes that they lack. The first is by execution id: the engine looks an execution up by
 * id whenever one ends, and so does `cleanFinishedWorkflows`, which would otherwise read the whole table. The second
 * contains only what has not ended, for `../Workflows.ts`, which would also read the whole table without it.
 * Several processes may start at once.
 */
export const layerMessages = Layer.effectDiscard(
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    changeTables(Effect.andThen(
      sql`CREATE INDEX IF NOT EXISTS causeway_cluster_messages_entity ON cluster_messages (entity_id)`,
      sql`CREATE INDEX IF NOT EXISTS causeway_cluster_messages_unfinished ON cluster_messages (entity_type, entity_id) WHERE processed = FALSE`
    )))
).pipe(Layer.orDie, Layer.provideMerge(layerRetriedResets(StoredReplies.layer)))

/** Settings of both engines. All others are effect's defaults. */
const shared = {
  shardsPerGroup: SHARDS,
  // Calls within one process need no encoding. What is stored is encoded anyway.
  simulateRemoteSerialization: false,
  // Interrupted executions continue after the next start. Waiting for them only makes every restart slow.
  entityTerminationTimeout: "1 second"
} satisfies Partial<ShardingConfig.ShardingConfig["Service"]>

/**
 * One runner in this process. Executions that this process starts are picked up at once. The poll only ends stored
 * sleeps, at most one interval late.
 */
export const layerPolling = (poll: Duration.Input): Layer.Layer<WorkflowServices, never, SqlClient.SqlClient> =>
  ClusterWorkflowEngine.layer.pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provide(Runners.layerNoop),
    Layer.provideMerge(layerMessages),
    Layer.provide([
      // The process that holds the store is the only runner: there is nothing to coordinate, and no dead runner's lock
      // to wait for.
      RunnerStorage.layerMemory,
      RunnerHealth.layerNoop,
      ShardingConfig.layer({ ...shared, entityMessagePollInterval: poll }),
      NodeCrypto.layer
    ])
  )

/**
 * How late a stored sleep, which is longer than a minute, may end, and work may begin whose runner was not reached when
 * it was queued. Each poll is a statement, also without work.
 */
const POLL = "2 seconds"

/** The embedded engine of a service. */
export const layerWorkflowEngine = layerPolling(POLL)

export interface ClusterOptions {
  /** The address at which the other runners reach this one. */
  readonly host: string
  readonly port: number
  /** The address to listen on, if it differs (in a container). */
  readonly listen?: { readonly host: string; readonly port: number }
  /**
   * How long a runner that does not ping counts as alive, and a frozen one keeps its locks; 15 seconds by default.
   * Runners ping each other three times as often. A process that is slow for longer loses its work.
   */
  readonly patience?: Duration.Duration
}

/**
 * One of several runners over one PostgreSQL. Each holds some of the shards by an advisory lock. The shards of a runner
 * whose process has died move to the others within five seconds (`DeadRunners.ts`). Those of a frozen or unreachable
 * one move within about 25 seconds: when a ping fails, or at the latest when its last ping is `patience` old. Fails
 * with `SocketServerError` when the port is not available.
 *
 * SECURITY: runners trust every caller that reaches this port; it belongs on a private network.
 */
export const layerClusterEngine = (
  options: ClusterOptions
): Layer.Layer<WorkflowServices, SocketServer.SocketServerError, SqlClient.SqlClient> => {
  const { listen, patience = Duration.seconds(15) } = options
  const config = ShardingConfig.layer({
    ...shared,
    runnerAddress: Option.some(RunnerAddress.RunnerAddress.make({ host: options.host, port: options.port })),
    runnerListenAddress: listen === undefined ? Option.none() : Option.some(RunnerAddress.RunnerAddress.make(listen)),
    entityMessagePollInterval: POLL,
    shardLockExpiration: patience,
    shardLockRefreshInterval: "5 seconds",
    runnerHealthCheckInterval: Duration.divideUnsafe(patience, 3),
    // How soon shards move when the number of runners changes.
    refreshAssignmentsInterval: "1 second"
  })
  const clients = NodeClusterSocket.layerClientProtocol
  return ClusterWorkflowEngine.layer.pipe(
    Layer.provideMerge(SocketRunner.layer),
    Layer.provide([
      NodeClusterSocket.layerSocketServer,
      clients,
      RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc), Layer.provide(clients))
    ]),
    Layer.provideMerge(layerMessages),
    Layer.provide(layerWatchedRunners(Layer.orDie(SqlRunnerStorage.layer))),
    Layer.provide([config, NodeCrypto.layer, RpcSerialization.layerSchemaBinary()])
  )
}
