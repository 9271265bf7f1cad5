/** `causeway-kit/adapters/solana`: the ports of the Solana family, on the JSON-RPC endpoints of its clusters. */
/** The port `AddressBalances`. */
export * as AddressBalances from "./AddressBalances.ts"
/** The port `Gas`. */
export * as Gas from "./Gas.ts"
/** The port `DepositKeyring`. */
export * as Keyring from "./Keyring.ts"
/** The port `ChainObserver`: evidence under a quorum of endpoints. */
export * as Observer from "./Observer.ts"
/** The port `SwapSources`: routes of a server of the Jupiter swap interface. */
export * as Jupiter from "./jupiter/index.ts"
/** The port `SendWatcher`. */
export * as Sends from "./Sends.ts"
/** The port `SentTransactions`. */
export * as SentTransactions from "./SentTransactions.ts"
/** Reading and writing through a chain's endpoints, in order of preference, each checked for its genesis. */
export * as SolanaRpc from "./SolanaRpc.ts"
/** The account that pays, from the solver's key, and the keys of deposit addresses, from their seed. */
export * as SolverAccount from "./SolverAccount.ts"
/** The port `StepBuilder`. */
export * as Steps from "./Steps.ts"
/** The port `Treasury`. */
export * as Treasury from "./Treasury.ts"
/** The port `DepositWatcher`. */
export * as Watcher from "./Watcher.ts"
/** The port `WithdrawalObserver`: withdrawals at a final slot under a quorum of endpoints. */
export * as Withdrawals from "./Withdrawals.ts"
