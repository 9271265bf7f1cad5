/**
 * `causeway-kit/ports`: the interfaces that the services need, one per port. Provide your own layers for them, or use
 * those of `causeway-kit/adapters/*`. Contains no implementation.
 */
export { ChainUnavailable } from "./chain/ChainUnavailable.ts"
export { AddressBalances, nothingLeft, type BalanceSource } from "./chain/AddressBalances.ts"
export { ApiKeys, type KeptApiKey } from "./store/clients/ApiKeys.ts"
export { ContractWallets } from "./chain/ContractWallets.ts"
export {
  AppBalances,
  type OwnedAccount,
  type PostedTransaction,
  type StatementPlace
} from "./store/ledger/AppBalances.ts"
export { AttestationSigner } from "./signing/AttestationSigner.ts"
export { SignerFault, SignerUnavailable } from "./signing/SignerUnavailable.ts"
export type {
  DepositTrees,
  Ed25519Signer,
  Ed25519Tree,
  Secp256k1Signer,
  Secp256k1Tree,
  Signer
} from "./signing/Signer.ts"
export { ChainObserver, type QuorumHealth } from "./chain/ChainObserver.ts"
export { ChainFacts } from "./chain/ChainFacts.ts"
export { Bookings, type RecordedBooking, type Valuation } from "./store/ledger/Bookings.ts"
export { type BudgetChange, Budgets, type KeyBudget } from "./store/ledger/Budgets.ts"
export { CalldataAllowances, type CalldataTaken } from "./store/orders/CalldataAllowances.ts"
export { CALL_LOSSES_WINDOW_MS, type CallLoss, CallLosses, type CallRiskToReserve } from "./store/ledger/CallLosses.ts"
export { Chains } from "./chain/Chains.ts"
export { type ArrivalScan, CreditWatcher, type SeenArrival } from "./chain/CreditWatcher.ts"
export { type Arrival, Credits, type RecordedArrival } from "./store/ledger/Credits.ts"
export {
  type AddressPage,
  type AddressPlace,
  DepositAddresses,
  type KeptAddress,
  type TouchedRange
} from "./store/orders/DepositAddresses.ts"
export { DepositKeyring } from "./signing/DepositKeyring.ts"
export { AddressesExhausted, type DepositKey, DepositKeys } from "./store/orders/DepositKeys.ts"
export { Deposits, type DepositState } from "./store/orders/Deposits.ts"
export {
  Cursor,
  DepositWatcher,
  type FinalScan,
  type FinalityNow,
  type Head,
  type Heads,
  type Scan,
  type Standing
} from "./chain/DepositWatcher.ts"
export { type Exposure, type ExposureCaps, Exposures } from "./store/orders/Exposures.ts"
export { FinalBlocks } from "./store/operations/FinalBlocks.ts"
export { FinishedWork } from "./store/operations/FinishedWork.ts"
export { CostsBy } from "./chain/CostsBy.ts"
export { Due } from "./chain/Due.ts"
export { Gas, nothingToOpen, type Opening } from "./chain/Gas.ts"
export type { ReadBy } from "./chain/ReadBy.ts"
export { ofChain, routed, type Routing } from "./chain/Routing.ts"
export { type PermitStanding, PermitTokens, type PermitWay } from "./chain/PermitTokens.ts"
export {
  type NewPermitSubmission,
  type PermitState,
  type PermitSubmission,
  PermitSubmissions,
  type Queued,
  REVERTED_PERMITS_WINDOW_MS
} from "./store/orders/PermitSubmissions.ts"
export { HubBalances } from "./hub/HubBalances.ts"
export { Hubs } from "./hub/Hubs.ts"
export { IdempotentAnswers } from "./store/clients/IdempotentAnswers.ts"
export { Ledger, type LedgerDifference } from "./store/ledger/Ledger.ts"
export { type BookedLoss, type Loss, Losses, type LossKind } from "./store/ledger/Losses.ts"
export { NonceMappings } from "./store/clients/NonceMappings.ts"
export { OrderSigner } from "./signing/OrderSigner.ts"
export { Pauses } from "./store/operations/Pauses.ts"
export { type NewPayout, type Payout, Payouts, type PayoutState } from "./store/ledger/Payouts.ts"
export { type Peer, PeerFailed, type PeerQuestion, Peers } from "./hub/Peers.ts"
export {
  type FoundPayment,
  type PaymentPurpose,
  Payments,
  PaymentsHeld,
  type PaymentVariant,
  type StoredPayment
} from "./store/orders/Payments.ts"
export { Prices, PriceUnavailable } from "./market/Prices.ts"
export { type PriceFeed, PriceFeeds } from "./market/PriceFeeds.ts"
export { type PriceSource, PriceSources } from "./market/PriceSources.ts"
export { type InventoryReservation, InventoryReservations } from "./store/orders/InventoryReservations.ts"
export { type ListingFilter, RequestListings } from "./store/clients/RequestListings.ts"
export {
  type DepositIntent,
  DepositRefused,
  type DepositWay,
  DepositUnfit,
  type NamedDeposit,
  type PreparedDeposit,
  StepBuilder
} from "./chain/StepBuilder.ts"
export { type KeptSequences, Records, type Scanned } from "./store/operations/Records.ts"
export { type Restoration, Restorations } from "./store/operations/Restorations.ts"
export { makeRecentRead, type RecentRead } from "./store/operations/RecentRead.ts"
export { SlowPoll } from "./store/operations/SlowPoll.ts"
export { STORE_TOPICS, StoreNotices, type StoreTopic } from "./store/operations/StoreNotices.ts"
export { type SeenDirectPayment, DirectPayments } from "./store/orders/DirectPayments.ts"
export { DirectPaymentWatcher, type StandingPayment } from "./chain/DirectPaymentWatcher.ts"
export {
  type AccountPosition,
  type SentPayment,
  type SentTransaction,
  SentTransactions
} from "./chain/SentTransactions.ts"
export { type SettlementHub, SettlementHubs } from "./hub/SettlementHubs.ts"
export { SettlementChain } from "./hub/SettlementChain.ts"
export {
  type ClaimedSettlement,
  type Conclusion,
  type HubGateAt,
  MOST_UNDER_WAY,
  MOST_UNFINAL,
  type OpenSettlements,
  type Overdue,
  type RecordedSettlement,
  type SettledAt,
  Settlements,
  type SettlementState,
  type Submission
} from "./store/orders/Settlements.ts"
export { type Gate, type Hub, SettlingHub } from "./hub/SettlingHub.ts"
export { HubGate } from "./hub/HubGate.ts"
export { type Claim, type Oracle, type OracleAnswer, Oracles } from "./hub/Oracles.ts"
export { SecretSealing, SecretUnreadable } from "./signing/SecretSealing.ts"
export { SwapSources } from "./chain/SwapSources.ts"
export { Signatures } from "./signing/Signatures.ts"
export {
  type AtAddress,
  type AwaitedHold,
  type HoldOutcome,
  type Settled,
  type Settlement,
  type SponsorHold,
  SponsorHolds
} from "./store/ledger/SponsorHolds.ts"
export { StoreUnavailable } from "./store/StoreUnavailable.ts"
export { type NewSweep, type Sweep, Sweeps, type SweepsOfCurrency, type SweepState } from "./store/orders/Sweeps.ts"
export { TransferHistory } from "./store/orders/TransferHistory.ts"
export { type SoughtWithdrawal, WithdrawalObserver } from "./chain/WithdrawalObserver.ts"
export { Workflows } from "./store/operations/Workflows.ts"
export { type StatusChange, Transfers, type UnendedTransfer } from "./store/orders/Transfers.ts"
export {
  type FallbackPayment,
  type FillCalls,
  type FillPayment,
  type Holding,
  holdingOf,
  isPlain,
  type Payment,
  type PermitCall,
  type PermitPayment,
  type PlainPayment,
  type SubmissionCall,
  type SubmissionPayment,
  type SweepCall,
  type SweepPayment
} from "./chain/PaymentKinds.ts"
export {
  type AccountPayment,
  type Broadcast,
  PaymentClaim,
  type Claimant,
  FailedCall,
  type JudgedReplacement,
  type PaymentCost,
  type PaymentOutcome,
  PaymentRefused,
  type PreparedPayment,
  type PreparedReplacement,
  type Replacing,
  type PendingPayment,
  type SignedPayment,
  type SignedWithClaims,
  Treasury,
  type Variants
} from "./chain/Treasury.ts"
export { UNATTESTED_WINDOW_MS, type UnattestedRefund, UnattestedRefunds } from "./store/ledger/UnattestedRefunds.ts"
export { type UnpaidAddress, UnpaidAddresses } from "./store/operations/UnpaidAddresses.ts"
export { UnpaidQuotes } from "./store/operations/UnpaidQuotes.ts"
export { SponsoredRequests } from "./store/ledger/SponsoredRequests.ts"
export { Sessions } from "./store/clients/Sessions.ts"
export { WalletChallenges } from "./store/clients/WalletChallenges.ts"
export {
  type ClaimedDelivery,
  type ConcludedTry,
  type Delivery,
  type DeliveryState,
  type LoggedDelivery,
  WebhookDeliveries,
  type WebhookTry
} from "./store/clients/WebhookDeliveries.ts"
export { WebhookSender } from "./webhook/WebhookSender.ts"
export { Webhooks } from "./store/clients/Webhooks.ts"
export { inTime } from "./signing/InTime.ts"
export { isKnown, unlessKnown } from "./Known.ts"
export { spanned } from "./Spanned.ts"
