/** `causeway-kit/adapters/storage`: the repositories and the workflow engine, on SQLite or PostgreSQL. */
/** The port `ApiKeys`. */
export * as ApiKeys from "./ApiKeys.ts"
/** The port `AppBalances`. */
export * as AppBalances from "./AppBalances.ts"
/** The port `CalldataAllowances`. */
export * as CalldataAllowances from "./CalldataAllowances.ts"
/** The port `CallLosses`. */
export * as CallLosses from "./CallLosses.ts"
/** The port `Credits`. */
export * as Credits from "./Credits.ts"
/** The port `Budgets`. */
export * as Budgets from "./Budgets.ts"
/** The port `Bookings`. */
export * as Bookings from "./Bookings.ts"
/** The port `DepositAddresses`. */
export * as DepositAddresses from "./DepositAddresses.ts"
/** The port `Deposits`. */
export * as Deposits from "./Deposits.ts"
/** The port `Exposures`. */
export * as Exposures from "./Exposures.ts"
/** The port `FinalBlocks`. */
export * as FinalBlocks from "./FinalBlocks.ts"
/** The port `FinishedWork`. */
export * as FinishedWork from "./FinishedWork.ts"
/** The port `IdempotentAnswers`. */
export * as IdempotentAnswers from "./IdempotentAnswers.ts"
/** The port `Ledger`. */
export * as Ledger from "./Ledger.ts"
/** The port `Losses`. */
export * as Losses from "./Losses.ts"
/** The port `NonceMappings`. */
export * as NonceMappings from "./NonceMappings.ts"
/** The port `Pauses`. */
export * as Pauses from "./Pauses.ts"
/** The port `Payments`. */
export * as Payments from "./Payments.ts"
/** The port `Payouts`. */
export * as Payouts from "./Payouts.ts"
/** The port `Promises`. */
export * as Promises from "./Promises.ts"
/** The port `RequestListings`. */
export * as RequestListings from "./RequestListings.ts"
/** The port `Records`. */
export * as Records from "./Records.ts"
/** The port `Restorations`, and how a store is marked as restored. */
export * as Restorations from "./Restorations.ts"
/** The port `Sends`. */
export * as Sends from "./Sends.ts"
/** The port `SponsorHolds`, over the port `Ledger` of the same store. */
export * as SponsorHolds from "./SponsorHolds.ts"
/** The port `Settlements`. */
export * as Settlements from "./Settlements.ts"
/** The port `PermitSubmissions`. */
export * as PermitSubmissions from "./PermitSubmissions.ts"
/** The port `Sweeps`. */
export * as Sweeps from "./Sweeps.ts"
/** The port `TransferHistory`. */
export * as TransferHistory from "./TransferHistory.ts"
/** The port `Transfers`. */
export * as Transfers from "./Transfers.ts"
/** The port `UnattestedRefunds`. */
export * as UnattestedRefunds from "./UnattestedRefunds.ts"
/** The port `UnpaidAddresses`. */
export * as UnpaidAddresses from "./UnpaidAddresses.ts"
/** The port `UnpaidQuotes`. */
export * as UnpaidQuotes from "./UnpaidQuotes.ts"
/** The port `Workflows`: provide it beside the engine. */
export * as Workflows from "./Workflows.ts"
/** How the secrets of a store are compared with the keys at hand, and sealed. */
export * as StoredSecrets from "./StoredSecrets.ts"
/** The port `WalletChallenges`. */
export * as WalletChallenges from "./WalletChallenges.ts"
/** The port `WebhookDeliveries`. */
export * as WebhookDeliveries from "./WebhookDeliveries.ts"
/** The port `Webhooks`. */
export * as Webhooks from "./Webhooks.ts"
export { DatabaseUrl, layerDatabase } from "./engine/Database.ts"
export { layerMigrations } from "./engine/Migrations.ts"
export { layerClusterEngine, layerWorkflowEngine } from "./engine/WorkflowEngine.ts"
export { migrations } from "./migrations/index.ts"
