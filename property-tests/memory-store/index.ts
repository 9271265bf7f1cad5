/**
 * The ports of `ports/store` over tables in memory, for a simulated world. They keep the contracts of the real stores:
 * one suite runs on all three (`adapters/storage`).
 */
import * as Layer from "effect/Layer"
import * as ApiKeys from "./clients/ApiKeys.ts"
import * as IdempotentAnswers from "./clients/IdempotentAnswers.ts"
import * as NonceMappings from "./clients/NonceMappings.ts"
import * as RequestListings from "./clients/RequestListings.ts"
import * as Sessions from "./clients/Sessions.ts"
import * as WalletChallenges from "./clients/WalletChallenges.ts"
import * as WebhookDeliveries from "./clients/WebhookDeliveries.ts"
import * as Webhooks from "./clients/Webhooks.ts"
import * as AppBalances from "./ledger/AppBalances.ts"
import * as Bookings from "./ledger/Bookings.ts"
import * as Budgets from "./ledger/Budgets.ts"
import * as CallLosses from "./ledger/CallLosses.ts"
import * as Credits from "./ledger/Credits.ts"
import * as Ledger from "./ledger/Ledger.ts"
import * as Losses from "./ledger/Losses.ts"
import * as Payouts from "./ledger/Payouts.ts"
import * as SponsorHolds from "./ledger/SponsorHolds.ts"
import * as SponsoredRequests from "./ledger/SponsoredRequests.ts"
import * as UnattestedRefunds from "./ledger/UnattestedRefunds.ts"
import { MemoryStore } from "./MemoryStore.ts"
import * as FinalBlocks from "./operations/FinalBlocks.ts"
import * as FinishedWork from "./operations/FinishedWork.ts"
import * as Pauses from "./operations/Pauses.ts"
import * as Records from "./operations/Records.ts"
import * as Restorations from "./operations/Restorations.ts"
import * as StoreNotices from "./operations/StoreNotices.ts"
import * as UnpaidAddresses from "./operations/UnpaidAddresses.ts"
import * as UnpaidQuotes from "./operations/UnpaidQuotes.ts"
import * as Workflows from "./operations/Workflows.ts"
import * as CalldataAllowances from "./orders/CalldataAllowances.ts"
import * as DepositAddresses from "./orders/DepositAddresses.ts"
import * as DepositKeys from "./orders/DepositKeys.ts"
import * as Deposits from "./orders/Deposits.ts"
import * as DirectPayments from "./orders/DirectPayments.ts"
import * as Exposures from "./orders/Exposures.ts"
import * as InventoryReservations from "./orders/InventoryReservations.ts"
import * as Payments from "./orders/Payments.ts"
import * as PermitSubmissions from "./orders/PermitSubmissions.ts"
import * as Settlements from "./orders/Settlements.ts"
import * as Sweeps from "./orders/Sweeps.ts"
import * as TransferHistory from "./orders/TransferHistory.ts"
import * as Transfers from "./orders/Transfers.ts"

const orders = Layer.mergeAll(
  CalldataAllowances.layer,
  DepositAddresses.layer,
  DepositKeys.layer,
  Deposits.layer,
  DirectPayments.layer,
  Exposures.layer,
  InventoryReservations.layer,
  Payments.layer,
  PermitSubmissions.layer,
  Settlements.layer,
  Sweeps.layer,
  TransferHistory.layer,
  Transfers.layer
)

const ledger = Layer.mergeAll(
  AppBalances.layer,
  Bookings.layer,
  Budgets.layer,
  CallLosses.layer,
  Credits.layer,
  Ledger.layer,
  Losses.layer,
  Payouts.layer,
  SponsorHolds.layer,
  SponsoredRequests.layer,
  UnattestedRefunds.layer
)

const operations = Layer.mergeAll(
  FinalBlocks.layer,
  FinishedWork.layer,
  Pauses.layer,
  Records.layer,
  Restorations.layer,
  StoreNotices.layer,
  UnpaidAddresses.layer,
  UnpaidQuotes.layer,
  Workflows.layer
)

const clients = Layer.mergeAll(
  ApiKeys.layer,
  IdempotentAnswers.layer,
  NonceMappings.layer,
  RequestListings.layer,
  Sessions.layer,
  WalletChallenges.layer,
  WebhookDeliveries.layer,
  Webhooks.layer
)

/** All ports, over the tables of one store. Several processes of a world are several of these over one store. */
export const layerPorts = Layer.mergeAll(orders, ledger, operations, clients)

/** All ports over a new, empty store. */
export const layer = Layer.provideMerge(layerPorts, MemoryStore.layer)

export { MemoryStore } from "./MemoryStore.ts"
export { markRestored } from "./operations/Restorations.ts"
export { layer as layerNotices } from "./operations/StoreNotices.ts"
export { type Passage, reachedThrough } from "./ProcessStore.ts"
/** The workflow engine of one process, over the same tables. */
export { layer as layerWorkflowEngine } from "./workflows/WorkflowEngine.ts"
