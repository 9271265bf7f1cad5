/**
 * `causeway-kit/services`: the use cases, Effect programs over the ports. A host of one's own provides them with its
 * layers of the ports; `causeway-kit/hosts/transfer` is such a host, ready made.
 */
/** Profit and loss by day. */
export * as Accounts from "./app-balance/Accounts.ts"
/** Deposits seen are filled or refunded, each once: a durable workflow, run by the workflow engine that is provided. */
export * as Filling from "./filling/Filling.ts"
/** One follower a chain and process wakes whatever waits for the chain. The other layers of the worker share it. */
export * as Followers from "./following/Followers.ts"
/** Prices that several sources agree on: the port `Prices` over `PriceSources`. */
export * as AgreedPrices from "./quoting/market/AgreedPrices.ts"
/** How much is under way: requests by state, and durable workflows. */
export * as Backlog from "./operations/Backlog.ts"
/** Deposits, fills and refunds are attested: read under a quorum, judged by the core, signed. */
export * as Attesting from "./attesting/Attesting.ts"
/** Peers are asked to sign what is attested. */
export * as Cosigning from "./attesting/Cosigning.ts"
/** What the oracle attests of withdrawals. */
export * as AttestingWithdrawals from "./attesting/AttestingWithdrawals.ts"
/** What a wallet has in the ledger. */
export * as Balances from "./app-balance/Balances.ts"
/** App balances are credited by what arrives at the solver. */
export * as Crediting from "./app-balance/Crediting.ts"
/** Claims of app fees and withdrawals of balances are judged and set aside. */
export * as AcceptingPayouts from "./payout/AcceptingPayouts.ts"
/** Sponsors pay the app fees that they took over. */
export * as SettlingAppFees from "./payout/SettlingAppFees.ts"
/** Every balance is recomputed, from entries and from the chain. */
export * as ReconcilingBalances from "./operations/ReconcilingBalances.ts"
/** What was set aside is paid, each once: a durable workflow. */
export * as PayingOut from "./payout/PayingOut.ts"
/** Queued payouts, sweeps and permits are started, again after a restart. */
export * as StartingQueued from "./operations/StartingQueued.ts"
/** A transaction that a client points at is looked at without waiting for the scan. */
export * as Indexing from "./deposits/index/Indexing.ts"
/** What the solver holds is read now and then, shown, and compared with its low-water marks. */
export * as Inventory from "./quoting/market/Inventory.ts"
/** API keys are made, listed, rotated and revoked. */
export * as IssuingKeys from "./clients/IssuingKeys.ts"
/** Whose key came with a request. */
export * as KnownKeys from "./clients/KnownKeys.ts"
/** Nonce mappings of exchange A are taken from wallets and kept. */
export * as KeepingMappings from "./clients/KeepingMappings.ts"
/** Wallets are linked to keys, and unlinked, by messages that their owners sign. */
export * as LinkingWallets from "./clients/LinkingWallets.ts"
/** Keys that the owners of wallets make for themselves. */
export * as OwningKeys from "./clients/OwningKeys.ts"
/** Sessions of the dashboard. */
export * as SigningIn from "./clients/SigningIn.ts"
/** What a wallet's app balance paid for. */
export * as SponsoredCosts from "./app-balance/SponsoredCosts.ts"
/** The port `Gas` that asks the chains only now and then. */
export * as RecentGas from "./quoting/market/RecentGas.ts"
export * as RecentHoldings from "./quoting/market/RecentHoldings.ts"
export * as RecentSteps from "./quoting/market/RecentSteps.ts"
/** Webhooks are told what happened. */
export * as Notifying from "./notifying/Notifying.ts"
/** Inventory, exposure, and what is stuck. */
export * as OperatorOverview from "./requests/OperatorOverview.ts"
/** Routes, chains and currencies are paused and resumed. */
export * as Pausing from "./operations/Pausing.ts"
/** What an operator decided, and what holds unless one did. */
export { defaultPolicy, Policy } from "./operations/Policy.ts"
/** A request becomes a stored, signed, executable quote. */
export * as Quoting from "./quoting/Quoting.ts"
/** The requests of a key, page by page, and summed up. */
export * as RequestHistory from "./requests/RequestHistory.ts"
/** What need not be kept is forgotten: unpaid quotes, and the engine's rows of what has ended. */
export * as Retention from "./operations/Retention.ts"
/** The store is compared with its chains, and every difference is reported. */
export * as Reconciling from "./operations/Reconciling.ts"
/** After a restore, what was paid since the backup is found out before anything is paid. */
export * as Restoring from "./operations/Restoring.ts"
/** The fillings of a request are begun anew. */
export * as Retrying from "./operations/Retrying.ts"
/** Transfers within one chain, which their users carry out themselves, are seen and settled. */
export * as WatchingDirectPayments from "./quoting/WatchingDirectPayments.ts"
/** Closing a deposit wakes the settling of the same process. */
export * as NewSettlements from "./hub/NewSettlements.ts"
/** What was filled and refunded is settled on the hub. */
export * as Settling from "./hub/Settling.ts"
/** What became of a transfer. */
export * as Statuses from "./requests/Statuses.ts"
/** A key's webhooks, and what was told to them. */
export * as Subscribing from "./notifying/Subscribing.ts"
/** Requests that take longer than they may, each with why. */
export * as StuckRequests from "./operations/StuckRequests.ts"
/** Requests that take longer than they may are told. */
export * as Watchdog from "./operations/Watchdog.ts"
/** Whether a wallet, an account or a contract, signed a digest. */
export * as WalletSignatures from "./clients/WalletSignatures.ts"
/** Every chain is scanned from a stored cursor, and each deposit found starts its filling. */
export * as Watching from "./deposits/watch/Watching.ts"
