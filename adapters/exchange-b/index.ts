/** The ports of the family exchangeb-vm, on the public Lighter interface of its endpoints. */
/** Reads and writes through a chain's endpoints, in order of preference, each within its budget. */
export * as ExchangeBRpc from "./rpc/ExchangeBRpc.ts"
/** The port `Gas`. */
export * as Gas from "./pay/Gas.ts"
/** Signs for the rollup with API keys that the configuration holds. */
export * as LocalRollupSigner from "./pay/rollup/LocalRollupSigner.ts"
/** The port `ChainObserver`: evidence under a quorum of endpoints. */
export * as Observer from "./observe/Observer.ts"
/** The port `SentTransactions`. */
export * as SentTransactions from "./pay/SentTransactions.ts"
/** The account that pays, from its signers. */
export * as SolverAccount from "./pay/SolverAccount.ts"
/** The port `Treasury`. */
export * as Treasury from "./pay/Treasury.ts"
/** The port `WithdrawalObserver`. */
export * as Withdrawals from "./observe/Withdrawals.ts"
