/** The stores of tests: all ports over tables of SQLite or PostgreSQL, and all ports in memory. */
import { Context, Effect, Layer } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { FinishedWork } from "../../../ports/store/operations/FinishedWork.ts"
import { StoreNotices } from "../../../ports/store/operations/StoreNotices.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { Workflows } from "../../../ports/store/operations/Workflows.ts"
import * as Memory from "../../../property-tests/memory-store/index.ts"
import { sealingOf } from "../../sealing/testing/SealingOf.ts"
import type { Engine } from "../engine/Database.ts"
import { layerMigrations } from "../engine/Migrations.ts"
import type { Notices } from "../engine/notices/Notices.ts"
import * as Sql from "../index.ts"
import { migrations } from "../migrations/index.ts"
import * as SqlDepositKeys from "../orders/DepositKeys.ts"

/** The ports that every store provides. What has to do with the workflow engine is in `WorkflowEngines.ts`. */
export type StorePorts =
  | Exclude<Layer.Success<typeof Memory.layerPorts>, FinishedWork | StoreNotices | Workflows>
  | StoreCommands

const orders = Layer.mergeAll(
  Sql.CalldataAllowances.layer,
  Sql.DepositAddresses.layer,
  SqlDepositKeys.layer,
  Sql.Deposits.layer,
  Sql.DirectPayments.layer,
  Sql.Exposures.layer,
  Sql.InventoryReservations.layer,
  Sql.Payments.layer,
  Sql.PermitSubmissions.layer,
  Sql.Settlements.layer,
  Sql.Sweeps.layer,
  Sql.TransferHistory.layer,
  Sql.Transfers.layer
)

const ledger = Layer.mergeAll(
  Sql.AppBalances.layer,
  Sql.Bookings.layer,
  Sql.Budgets.layer,
  Sql.CallLosses.layer,
  Sql.Credits.layer,
  Sql.Losses.layer,
  Sql.SponsorHolds.layer,
  Sql.SponsoredRequests.layer,
  Sql.UnattestedRefunds.layer
).pipe(Layer.provideMerge(Sql.Payouts.layer), Layer.provideMerge(Sql.Ledger.layer))

const operations = Layer.mergeAll(
  Sql.FinalBlocks.layer,
  Sql.Pauses.layer,
  Sql.Records.layer,
  Sql.Restorations.layer,
  Sql.UnpaidAddresses.layer,
  Sql.UnpaidQuotes.layer
)

const clients = Layer.mergeAll(
  Sql.ApiKeys.layer,
  Sql.IdempotentAnswers.layer,
  Sql.NonceMappings.layer,
  Sql.RequestListings.layer,
  Sql.Sessions.layer,
  Sql.WalletChallenges.layer,
  Sql.WebhookDeliveries.layer,
  Sql.Webhooks.layer
).pipe(Layer.provide(sealingOf()))

/** What is not a port: what a test does to a store as a command or another process. */
export class StoreCommands extends Context.Service<StoreCommands, {
  /** Marks the store as restored from a backup. Milliseconds. */
  readonly markRestored: (at: number) => Effect.Effect<void>
  /** Several calls, all or nothing. Inside another transaction it can fail alone. */
  readonly transaction: <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SqlError.SqlError | StoreUnavailable, R>
  /** What a process that begins now hears of the store. */
  readonly notices: Effect.Effect<StoreNotices["Service"], never, Scope.Scope>
}>()("causeway/adapters/storage/testing/StoreCommands") {}

/** New ones, although others were built before. */
const built = <R>(layer: Layer.Layer<StoreNotices, never, R>) =>
  Effect.map(Layer.build(Layer.fresh(layer)), (context) => Context.get(context, StoreNotices))

const sqlCommands = Layer.effect(
  StoreCommands,
  Effect.map(Effect.context<Notices | SqlClient.SqlClient>(), (context) => ({
    transaction: Context.get(context, SqlClient.SqlClient).withTransaction,
    markRestored: (at) => Sql.Restorations.markRestored(at).pipe(Effect.provideContext(context), Effect.orDie),
    notices: built(Sql.StoreNotices.layer).pipe(Effect.provideContext(context))
  }))
)

const memoryCommands = Layer.effect(
  StoreCommands,
  Effect.map(Effect.context<Memory.MemoryStore>(), (context) => ({
    transaction: Context.get(context, Memory.MemoryStore).transaction,
    markRestored: (at) => Memory.markRestored(at).pipe(Effect.provideContext(context), Effect.orDie),
    notices: built(Memory.layerNotices).pipe(Effect.provideContext(context))
  }))
)

/** The ports of a store in memory. */
export const storeInMemory = Layer.provideMerge(memoryCommands, Memory.layer)

/** The ports of a store with tables: the migrated database at this engine. */
export const storeOnTables = <E>(engine: Layer.Layer<SqlClient.SqlClient | Engine | Notices, E>) =>
  Layer.mergeAll(orders, ledger, operations, clients, sqlCommands).pipe(
    Layer.provideMerge(layerMigrations(migrations)),
    Layer.provideMerge(engine)
  )
