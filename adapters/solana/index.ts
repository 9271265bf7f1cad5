/** `causeway-kit/adapters/solana`: the ports of the Solana family, on the JSON-RPC endpoints of its clusters. */
/** The port `AddressBalances`. */
export * as AddressBalances from "./watch/AddressBalances.ts"
/** The port `Gas`. */
export * as Gas from "./pay/Gas.ts"
/** The port `DepositKeyring`. */
export * as Keyring from "./pay/Keyring.ts"
/** The port `ChainObserver`: evidence under a quorum of endpoints. */
export * as Observer from "./observe/Observer.ts"
/** The port `SwapSources`: routes from a server with the Jupiter swap interface. */
export * as Jupiter from "./quote/jupiter/index.ts"
/** The port `DirectPaymentWatcher`. */
export * as DirectPayments from "./watch/DirectPayments.ts"
/** The port `SentTransactions`. */
export * as SentTransactions from "./watch/SentTransactions.ts"
/** Reads and writes through a chain's endpoints, in order of preference. Each endpoint's genesis is checked. */
export * as SolanaRpc from "./rpc/SolanaRpc.ts"
/** The account that pays, from the solver's key, and the keys of deposit addresses, from their seed. */
export * as SolverAccount from "./pay/SolverAccount.ts"
/** The port `StepBuilder`. */
export * as Steps from "./quote/Steps.ts"
/** The port `Treasury`. */
export * as Treasury from "./pay/Treasury.ts"
/** The port `DepositWatcher`. */
export * as Watcher from "./watch/Watcher.ts"
/** The port `WithdrawalObserver`: withdrawals at a final slot under a quorum of endpoints. */
export * as Withdrawals from "./observe/Withdrawals.ts"
