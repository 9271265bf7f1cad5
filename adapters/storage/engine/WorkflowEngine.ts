/**
 * Effect's durable workflow engine, stored in the same database as everything else: one runner embedded in this
 * process (`layerWorkflowEngine`), or several runners over one PostgreSQL (`layerClusterEngine`).
 * An activity that has completed never runs again; one that was running when its process died runs again, so that
 * every activity must bear that. Nothing here reads the environment.
 *
 * `DurableClock.sleep` of a minute or less lives in memory and starts anew after a crash; pass
 * `inMemoryThreshold: 0` where that matters. A stored sleep ends up to one poll late.
 */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Option } from "effect"
import type { Duration } from "effect"
import {
  ClusterWorkflowEngine,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SocketRunner,
  SqlMessageStorage,
  SqlRunnerStorage
} from "effect/cluster"
import type { MessageStorage } from "effect/cluster"
import { RpcSerialization } from "effect/rpc"
import type { SocketServer } from "effect/socket"
import { SqlClient } from "effect/sql"
import type { WorkflowEngine } from "effect/workflow"

/** What both layers give: the engine, and what it stands on (`cleanFinishedWorkflows` needs only the store). */
export type WorkflowServices = WorkflowEngine.WorkflowEngine | Sharding.Sharding | MessageStorage.MessageStorage

/**
 * The shard of an execution is stored with it: with another number what is stored would never be read again.
 * So it is one constant for both engines, and a cluster can continue what a single runner began.
 */
const SHARDS = 64

/**
 * Effect's tables, and two indexes that they lack. It looks an execution up by its id whenever one ends, and so does
 * `cleanFinishedWorkflows`, which without the first would read the whole table; so would `../Workflows.ts` without the
 * second, which holds only what has not ended.
 */
const storage = Layer.effectDiscard(Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.andThen(
    sql`CREATE INDEX IF NOT EXISTS causeway_cluster_messages_entity ON cluster_messages (entity_id)`,
    sql`CREATE INDEX IF NOT EXISTS causeway_cluster_messages_unfinished ON cluster_messages (entity_type, entity_id) WHERE processed = FALSE`
  ))).pipe(Layer.orDie, Layer.provideMerge(SqlMessageStorage.layer))

/** What both have in common; the rest are effect's defaults. */
const shared = {
  shardsPerGroup: SHARDS,
  // Calls between parts of one process need not go through their codecs; what is stored does anyway.
  simulateRemoteSerialization: false,
  // What is interrupted goes on after the next start; waiting for it only makes every restart slow.
  entityTerminationTimeout: "1 second"
} satisfies Partial<ShardingConfig.ShardingConfig["Service"]>

/**
 * One runner in this process. What this process starts itself is picked up at once; the poll only ends stored sleeps,
 * at most so late.
 */
export const layerPolling = (poll: Duration.Input): Layer.Layer<WorkflowServices, never, SqlClient.SqlClient> =>
  ClusterWorkflowEngine.layer.pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provide(Runners.layerNoop),
    Layer.provideMerge(storage),
    Layer.provide([
      // Whoever holds the store is the only runner: nothing to coordinate, and no lock of a dead one to wait for.
      RunnerStorage.layerMemory,
      RunnerHealth.layerNoop,
      ShardingConfig.layer({ ...shared, entityMessagePollInterval: poll }),
      NodeCrypto.layer
    ])
  )

/** Polling ten times a second costs 1.5 % of a core at rest. */
export const layerWorkflowEngine = layerPolling("100 millis")

export interface ClusterOptions {
  /** The address under which the other runners reach this one. */
  readonly host: string
  readonly port: number
  /** The address to listen on, where it is another one (a container). */
  readonly listen?: { readonly host: string; readonly port: number }
}

/**
 * A runner among several over one PostgreSQL; each holds some of the shards by an advisory lock. A dead one's shards go
 * to the others within some 25 seconds: when a ping fails, or at the latest when its last sign of life is 15 s old.
 * SECURITY: runners trust whoever reaches this port; it belongs on a private network.
 * Fails with `SocketServerError` when the port can not be had.
 */
export const layerClusterEngine = (
  options: ClusterOptions
): Layer.Layer<WorkflowServices, SocketServer.SocketServerError, SqlClient.SqlClient> => {
  const listen = options.listen
  const config = ShardingConfig.layer({
    ...shared,
    runnerAddress: Option.some(RunnerAddress.RunnerAddress.make({ host: options.host, port: options.port })),
    runnerListenAddress: listen === undefined ? Option.none() : Option.some(RunnerAddress.RunnerAddress.make(listen)),
    entityMessagePollInterval: "500 millis",
    // How long a runner that gives no sign of life counts as alive, and a frozen one keeps its locks.
    shardLockExpiration: "15 seconds",
    shardLockRefreshInterval: "5 seconds",
    // How often runners ping each other, and how soon a change in their number moves shards.
    runnerHealthCheckInterval: "5 seconds",
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
    Layer.provideMerge(storage),
    Layer.provide(Layer.orDie(SqlRunnerStorage.layer)),
    Layer.provide([config, NodeCrypto.layer, RpcSerialization.layerSchemaBinary()])
  )
}
