/** `causeway-kit/adapters/storage`: the repositories and the workflow engine, on SQLite or PostgreSQL. */
/** The port `Bookings`. */
export * as Bookings from "./Bookings.ts"
/** The port `Deposits`. */
export * as Deposits from "./Deposits.ts"
/** The port `Exposures`. */
export * as Exposures from "./Exposures.ts"
/** The port `IdempotentAnswers`. */
export * as IdempotentAnswers from "./IdempotentAnswers.ts"
/** The port `Ledger`. */
export * as Ledger from "./Ledger.ts"
/** The port `Pauses`. */
export * as Pauses from "./Pauses.ts"
/** The port `Payments`. */
export * as Payments from "./Payments.ts"
/** The port `Promises`. */
export * as Promises from "./Promises.ts"
/** The port `Records`. */
export * as Records from "./Records.ts"
/** The port `Restorations`, and how a store is marked as restored. */
export * as Restorations from "./Restorations.ts"
/** The port `Sends`. */
export * as Sends from "./Sends.ts"
/** The port `TransferHistory`. */
export * as TransferHistory from "./TransferHistory.ts"
/** The port `Transfers`. */
export * as Transfers from "./Transfers.ts"
export { DatabaseUrl, layerDatabase } from "./engine/Database.ts"
export { layerMigrations } from "./engine/Migrations.ts"
export { layerClusterEngine, layerWorkflowEngine } from "./engine/WorkflowEngine.ts"
export { migrations } from "./migrations/index.ts"
