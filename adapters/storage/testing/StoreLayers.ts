/** The stores of tests: all ports over tables of SQLite or PostgreSQL, and all ports in memory. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Memory from "../../../property-tests/memory-store/index.ts"
import { sealingOf } from "../../sealing/testing/SealingOf.ts"
import type { Engine } from "../engine/Database.ts"
import { layerMigrations } from "../engine/Migrations.ts"
import type { Notices } from "../engine/Notices.ts"
import * as Sql from "../index.ts"
import { migrations } from "../migrations/index.ts"
import * as SqlDepositKeys from "../orders/DepositKeys.ts"

/** The ports that every store provides. */
export type StorePorts = Layer.Success<typeof Memory.layerPorts> | StoreCommands

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
  Sql.WalletChallenges.layer,
  Sql.WebhookDeliveries.layer,
  Sql.Webhooks.layer
).pipe(Layer.provide(sealingOf()))

/** What is not a port: what a test does to a store as a command or another process. */
export class StoreCommands extends Context.Service<StoreCommands, {
  /** Marks the store as restored from a backup. Milliseconds. */
  readonly markRestored: (at: number) => Effect.Effect<void>
}>()("causeway/adapters/storage/testing/StoreCommands") {}

const sqlCommands = Layer.effect(
  StoreCommands,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    markRestored: (at) =>
      Sql.Restorations.markRestored(at).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.orDie)
  }))
)

const memoryCommands = Layer.effect(
  StoreCommands,
  Effect.map(Memory.MemoryStore, (store) => ({
    markRestored: (at) => Memory.markRestored(at).pipe(Effect.provideService(Memory.MemoryStore, store), Effect.orDie)
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
