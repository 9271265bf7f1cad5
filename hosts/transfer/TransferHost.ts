/**
 * The transfer service as layers: the HTTP API, the worker, or both in one process.
 *
 * An embedded store has one owner, so on SQLite the API and the worker share a process. On PostgreSQL any number of
 * both share the database. Contains no business rules: those are in `src/services`.
 */
import { Effect, Layer, Redacted } from "effect"
import { layerClusterEngine, layerWorkflowEngine } from "../../adapters/storage/cluster/WorkflowEngine.ts"
import * as Balances from "../../src/services/app-balance/Balances.ts"
import * as Capacity from "../../src/services/quoting/Capacity.ts"
import * as ClockCheck from "../../src/services/operations/ClockCheck.ts"
import * as Accounts from "../../src/services/app-balance/Accounts.ts"
import * as SqlWorkflows from "../../adapters/storage/operations/Workflows.ts"
import * as Backlog from "../../src/services/operations/Backlog.ts"
import type { CheckedConfiguration } from "../../src/services/operations/CheckedConfiguration.ts"
import * as Crediting from "../../src/services/app-balance/Crediting.ts"
import * as QuorumEndpoints from "../../adapters/quorum/Endpoints.ts"
import { weaknessOf } from "../../src/domain/quorum/EndpointQuorum.ts"
import * as Followers from "../../src/services/following/Followers.ts"
import * as Filling from "../../src/services/filling/Filling.ts"
import * as Indexing from "../../src/services/deposits/index/Indexing.ts"
import * as Inventory from "../../src/services/quoting/market/Inventory.ts"
import * as IssuingKeys from "../../src/services/clients/IssuingKeys.ts"
import * as KnownKeys from "../../src/services/clients/KnownKeys.ts"
import * as KeepingMappings from "../../src/services/clients/KeepingMappings.ts"
import * as LinkingWallets from "../../src/services/clients/LinkingWallets.ts"
import * as OwningKeys from "../../src/services/clients/OwningKeys.ts"
import * as SponsoredCosts from "../../src/services/app-balance/SponsoredCosts.ts"
import * as SigningIn from "../../src/services/clients/SigningIn.ts"
import type { Site } from "../../src/services/clients/WalletMessages.ts"
import * as Notifying from "../../src/services/notifying/Notifying.ts"
import * as OperatorOverview from "../../src/services/requests/OperatorOverview.ts"
import * as SettlingAppFees from "../../src/services/payout/SettlingAppFees.ts"
import * as PayingOut from "../../src/services/payout/PayingOut.ts"
import * as StartingQueued from "../../src/services/operations/StartingQueued.ts"
import * as SubmittingPermits from "../../src/services/permits/SubmittingPermits.ts"
import * as Pausing from "../../src/services/operations/Pausing.ts"
import * as Quoting from "../../src/services/quoting/Quoting.ts"
import * as RequestHistory from "../../src/services/requests/RequestHistory.ts"
import * as Restoring from "../../src/services/operations/Restoring.ts"
import * as Retention from "../../src/services/operations/Retention.ts"
import * as Retrying from "../../src/services/operations/Retrying.ts"
import * as WatchingDirectPayments from "../../src/services/quoting/WatchingDirectPayments.ts"
import * as Statuses from "../../src/services/requests/Statuses.ts"
import * as StuckRequests from "../../src/services/operations/StuckRequests.ts"
import * as Subscribing from "../../src/services/notifying/Subscribing.ts"
import * as Watchdog from "../../src/services/operations/Watchdog.ts"
import * as WalletSignatures from "../../src/services/clients/WalletSignatures.ts"
import * as NewSettlements from "../../src/services/hub/NewSettlements.ts"
import * as Settling from "../../src/services/hub/Settling.ts"
import * as Reindexing from "../../src/services/deposit-addresses/Reindexing.ts"
import * as StockingAddresses from "../../src/services/deposit-addresses/StockingAddresses.ts"
import * as Sweeping from "../../src/services/deposit-addresses/Sweeping.ts"
import * as WatchingAddresses from "../../src/services/deposit-addresses/WatchingAddresses.ts"
import * as Watching from "../../src/services/deposits/watch/Watching.ts"
import * as Adapters from "./config/Adapters.ts"
import * as CheckedChains from "./config/CheckedChains.ts"
import { checkHttp, checkWorker, readEnvironment, solverQuorums } from "./config/Environment.ts"
import type { Environment } from "./config/Environment.ts"
import { withFailpoints } from "./failpoints/Failpoints.ts"
import { requestName } from "../http/RequestObservation.ts"
import * as Tracing from "../observability/Tracing.ts"
import { countFromZero } from "../../src/services/operations/Meters.ts"
import * as HttpHost from "./HttpHost.ts"
import { statusRow } from "./routes/Rows.ts"
import * as WorkerMetrics from "./worker/WorkerMetrics.ts"

const isEmbedded = ({ databaseUrl }: Environment): boolean => Redacted.value(databaseUrl).startsWith("sqlite:")

/** The service's public address for messages to wallets, without user, query and fragment. */
const siteOf = ({ baseUrl, host, port }: Environment): Site => {
  const { host: domain, origin, pathname } = new URL(baseUrl ?? `http://${host}:${port}`)
  return { domain, uri: `${origin}${pathname}` }
}

/** The use case behind `POST /quote`. */
export const quoting = ({ serviceName }: Environment) =>
  Quoting.layer({ service: serviceName, router: "causeway", statusPath: "/intents/status" })

const http = (environment: Environment) =>
  Layer.merge(HttpHost.layer(environment), ClockCheck.layer).pipe(
    Layer.provide([
      quoting(environment),
      Capacity.layer,
      Reindexing.layer,
      Layer.provideMerge(RequestHistory.layer, Statuses.layer),
      Pausing.layer,
      Subscribing.layer({ reach: Adapters.webhookReach(environment) }),
      KnownKeys.layer,
      Layer.provideMerge(OwningKeys.layer, IssuingKeys.layer),
      Layer.mergeAll(
        LinkingWallets.layer(siteOf(environment)),
        SigningIn.layer(siteOf(environment), environment.adminToken),
        SettlingAppFees.layer
      ).pipe(Layer.provideMerge(WalletSignatures.layer)),
      Balances.layer,
      KeepingMappings.layer,
      OperatorOverview.layer.pipe(Layer.provide(StuckRequests.layer)),
      Retrying.layer,
      Accounts.layer,
      SponsoredCosts.layer,
      Indexing.layer
    ])
  )

const engine = (environment: Environment) =>
  isEmbedded(environment)
    ? layerWorkflowEngine
    : layerClusterEngine({ host: environment.runnerHost, port: environment.runnerPort })

const worker = (environment: Environment) =>
  Layer.unwrap(Effect.as(
    checkWorker(environment),
    workerOf(environment).pipe(Layer.provide([engine(environment), SqlWorkflows.layer]))
  ))

/** Everything that a worker does, over an engine of workflows. */
export const workerOf = (environment: Environment) =>
  Layer.mergeAll(
    Watching.layer,
    WatchingDirectPayments.layer,
    Crediting.layer({ fromBlock: environment.creditsFromBlock }),
    StartingQueued.layer,
    WatchingAddresses.layer,
    StockingAddresses.layer,
    Notifying.layer({ statusOf: statusRow }),
    Settling.layer,
    Restoring.layer,
    Watchdog.layer,
    Retention.layer,
    Inventory.layer,
    Backlog.layer
  ).pipe(
    Layer.provide([
      Filling.layer.pipe(Layer.provide(NewSettlements.layerTelling)),
      PayingOut.layer,
      SubmittingPermits.layer,
      Sweeping.layer.pipe(Layer.provide([quoting(environment), Pausing.layer])),
      Statuses.layer
    ]),
    Layer.provide([Followers.layer, NewSettlements.layer])
  )

/** What a rule watches is there before it happens first. An operator is told which chains rest on too few endpoints. */
const introduce = (environment: Environment) =>
  Effect.gen(function*() {
    const { configured: { chains } } = environment
    const quorums = solverQuorums(environment)
    yield* countFromZero(chains.map(({ slug }) => slug))
    for (const { id, slug } of chains) {
      const quorum = quorums.get(id)
      if (quorum === undefined) continue
      yield* QuorumEndpoints.countFromZero(slug, quorum.hosts)
      const weakness = weaknessOf(quorum)
      if (weakness !== undefined) yield* Effect.logWarning(`${slug} ${weakness}`)
    }
  })

type Parts<E> = (
  environment: Environment
) => Layer.Layer<never, E, CheckedConfiguration | Layer.Success<ReturnType<typeof Adapters.layer>>>

const assembled = <E>(parts: Parts<E>) => (environment: Environment) =>
  parts(environment).pipe(
    withFailpoints(environment),
    Layer.provide(Adapters.layer(environment)),
    Layer.provide(CheckedChains.layer(environment))
  )

const hosted = <E>(parts: Parts<E>) =>
  Layer.unwrap(
    Effect.map(Effect.tap(readEnvironment, introduce), (environment) =>
      assembled(parts)(environment).pipe(
        Layer.provide(Tracing.layer(environment, requestName(HttpHost.routeOf)))
      ))
  )

/** Both in one process, whatever the store, under the tracer of whoever runs it: for measurements. */
export const layerMeasuredHost = Layer.unwrap(
  Effect.map(readEnvironment, assembled((environment) => Layer.merge(http(environment), worker(environment))))
)

/** The worker alone, measured likewise. */
export const layerMeasuredWorker = Layer.unwrap(Effect.map(readEnvironment, assembled(worker)))

/** The HTTP API. On an embedded store also the worker, because no other process could run it. */
export const layerTransferHost = hosted((environment) =>
  isEmbedded(environment)
    ? Layer.merge(http(environment), worker(environment))
    : Layer.unwrap(Effect.as(checkHttp(environment), http(environment)))
)

/** The worker alone: detects deposits and fills them. On an embedded store it is then the store's only owner. */
export const layerWorkerHost = hosted((environment) =>
  Layer.merge(worker(environment), WorkerMetrics.layer(environment))
)
