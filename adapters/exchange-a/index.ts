/** The ports of the family exchangea-vm, on the public Hyperliquid interface of its endpoints. */
/** The port `AddressBalances`. */
export * as AddressBalances from "./addresses/AddressBalances.ts"
/** Reads and writes through a chain's endpoints, in order of preference, each within its budget. */
export * as ExchangeARpc from "./rpc/ExchangeARpc.ts"
/** The port `Gas`. */
export * as Gas from "./pay/Gas.ts"
/** Nonce mappings, as a transfer service stores them. */
export * as HubMappings from "./observe/HubMappings.ts"
/** The port `DepositKeyring`: deposit addresses of derived keys. */
export * as Keyring from "./addresses/Keyring.ts"
/** The port `ChainObserver`: evidence under a quorum of endpoints. */
export * as Observer from "./observe/Observer.ts"
/** The port `SentTransactions`. */
export * as SentTransactions from "./pay/SentTransactions.ts"
/** The account that pays, from its signer. */
export * as SolverAccount from "./pay/SolverAccount.ts"
/** The port `Treasury`. */
export * as Treasury from "./pay/Treasury.ts"
/** The port `WithdrawalObserver`. */
export * as Withdrawals from "./observe/Withdrawals.ts"
