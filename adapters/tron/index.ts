/** `causeway-kit/adapters/tron`: the ports of the Tron family, on the JSON-RPC and the HTTP API of its nodes. */
/** The port `AddressBalances`: what solidified blocks show. */
export * as AddressBalances from "./addresses/AddressBalances.ts"
/** The port `DirectPaymentWatcher`. */
export * as DirectPayments from "./watch/DirectPayments.ts"
/** The port `Gas`. */
export * as Gas from "./pay/Gas.ts"
/** The port `DepositKeyring`: deposit addresses of derived keys. */
export * as Keyring from "./addresses/Keyring.ts"
/** The port `ChainObserver`: evidence under a quorum of nodes. */
export * as Observer from "./observe/Observer.ts"
/** The chain's prices, kept for a minute. */
export * as Prices from "./cost/TronPrices.ts"
/** The port `SentTransactions`. */
export * as SentTransactions from "./pay/SentTransactions.ts"
/** The account that pays, from its signer. */
export * as SolverAccount from "./pay/SolverAccount.ts"
/** The port `StepBuilder`. */
export * as Steps from "./quote/Steps.ts"
/** The port `Treasury`. */
export * as Treasury from "./pay/Treasury.ts"
/** Reads and writes through a chain's nodes, in order of preference. Each node's chain is checked. */
export * as TronRpc from "./rpc/TronRpc.ts"
/** The port `DepositWatcher`. */
export * as Watcher from "./watch/Watcher.ts"
/** The port `WithdrawalObserver`: withdrawals in the solidified state under a quorum of nodes. */
export * as Withdrawals from "./observe/Withdrawals.ts"
