/** `causeway-kit/adapters/storage`: the repositories and the workflow engine, on SQLite or PostgreSQL. */
/** The port `ApiKeys`. */
export * as ApiKeys from "./clients/ApiKeys.ts"
/** The port `AppBalances`. */
export * as AppBalances from "./ledger/AppBalances.ts"
/** The port `CalldataAllowances`. */
export * as CalldataAllowances from "./orders/CalldataAllowances.ts"
/** The port `CallLosses`. */
export * as CallLosses from "./ledger/CallLosses.ts"
/** The port `Credits`. */
export * as Credits from "./ledger/Credits.ts"
/** The port `Budgets`. */
export * as Budgets from "./ledger/Budgets.ts"
/** The port `Bookings`. */
export * as Bookings from "./ledger/Bookings.ts"
/** The port `DepositAddresses`. */
export * as DepositAddresses from "./orders/DepositAddresses.ts"
/** The port `Deposits`. */
export * as Deposits from "./orders/Deposits.ts"
/** The port `Exposures`. */
export * as Exposures from "./orders/Exposures.ts"
/** The port `FinalBlocks`. */
export * as FinalBlocks from "./operations/FinalBlocks.ts"
/** The port `FinishedWork`. */
export * as FinishedWork from "./operations/FinishedWork.ts"
/** The port `IdempotentAnswers`. */
export * as IdempotentAnswers from "./clients/IdempotentAnswers.ts"
/** The port `Ledger`. */
export * as Ledger from "./ledger/Ledger.ts"
/** The port `Losses`. */
export * as Losses from "./ledger/Losses.ts"
/** The port `NonceMappings`. */
export * as NonceMappings from "./clients/NonceMappings.ts"
/** The port `Pauses`. */
export * as Pauses from "./operations/Pauses.ts"
/** The port `Payments`. */
export * as Payments from "./orders/Payments.ts"
/** The port `Payouts`. */
export * as Payouts from "./ledger/Payouts.ts"
/** The port `InventoryReservations`. */
export * as InventoryReservations from "./orders/InventoryReservations.ts"
/** The port `RequestListings`. */
export * as RequestListings from "./clients/RequestListings.ts"
/** The port `Records`. */
export * as Records from "./operations/Records.ts"
/** The port `Restorations`, and how a store is marked as restored. */
export * as Restorations from "./operations/Restorations.ts"
/** The port `DirectPayments`. */
export * as DirectPayments from "./orders/DirectPayments.ts"
/** The port `SponsorHolds`, over the port `Ledger` of the same store. */
export * as SponsorHolds from "./ledger/SponsorHolds.ts"
/** The port `Settlements`. */
export * as Settlements from "./orders/Settlements.ts"
/** The port `PermitSubmissions`. */
export * as PermitSubmissions from "./orders/PermitSubmissions.ts"
/** The port `StoreNotices`. */
export * as StoreNotices from "./operations/StoreNotices.ts"
/** The port `Sweeps`. */
export * as Sweeps from "./orders/Sweeps.ts"
/** The port `TransferHistory`. */
export * as TransferHistory from "./orders/TransferHistory.ts"
/** The port `Transfers`. */
export * as Transfers from "./orders/Transfers.ts"
/** The port `UnattestedRefunds`. */
export * as UnattestedRefunds from "./ledger/UnattestedRefunds.ts"
/** The port `UnpaidAddresses`. */
export * as UnpaidAddresses from "./operations/UnpaidAddresses.ts"
/** The port `UnpaidQuotes`. */
export * as UnpaidQuotes from "./operations/UnpaidQuotes.ts"
/** The port `Workflows`: provide it beside the engine. */
export * as Workflows from "./operations/Workflows.ts"
/** Compares a store's secrets with the configured keys, and seals them. */
export * as StoredSecrets from "./clients/StoredSecrets.ts"
/** The port `SponsoredRequests`. */
export * as SponsoredRequests from "./ledger/SponsoredRequests.ts"
/** The port `Sessions`. */
export * as Sessions from "./clients/Sessions.ts"
/** The port `WalletChallenges`. */
export * as WalletChallenges from "./clients/WalletChallenges.ts"
/** The port `WebhookDeliveries`. */
export * as WebhookDeliveries from "./clients/WebhookDeliveries.ts"
/** The port `Webhooks`. */
export * as Webhooks from "./clients/Webhooks.ts"
export { DatabaseUrl, layerDatabase } from "./engine/Database.ts"
export { layerMigrations } from "./engine/Migrations.ts"
export { layerClusterEngine, layerWorkflowEngine } from "./cluster/WorkflowEngine.ts"
export { migrations } from "./migrations/index.ts"
