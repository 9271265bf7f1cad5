/**
 * `causeway-kit/adapters/bitcoin`: the ports of the Bitcoin family, on the JSON-RPC of its nodes and an Esplora
 * explorer.
 */
/** The port `AddressBalances`. */
export * as AddressBalances from "./addresses/AddressBalances.ts"
/** The coins of a deposit address that a sweep takes: final, found in blocks, checked by nodes. */
export * as AddressCoins from "./addresses/AddressCoins.ts"
/** What an Esplora explorer says: coins of an address, spenders, fee rates. Callers have nodes check it. */
export * as BitcoinExplorer from "./observe/explorer/BitcoinExplorer.ts"
/** Reads and writes through a chain's nodes, in order of preference. Each node's first block is checked. */
export * as BitcoinRpc from "./rpc/BitcoinRpc.ts"
/** The coins of an address: the explorer lists them, and a node has them. */
export * as Coins from "./coins/ListCoins.ts"
/** The port `DirectPaymentWatcher`. */
export * as DirectPayments from "./watch/DirectPayments.ts"
/** The port `DepositKeyring`: P2WPKH addresses of derived keys. */
export * as Keyring from "./addresses/Keyring.ts"
/** The port `Gas`. */
export * as Gas from "./pay/Gas.ts"
/** The port `ChainObserver`: evidence under a quorum of nodes. */
export * as Observer from "./observe/Observer.ts"
/** The fee rate that node and explorer agree on. */
export * as Rates from "./rate/Rates.ts"
/** The port `SentTransactions`. */
export * as SentTransactions from "./pay/SentTransactions.ts"
/** The account that pays, from its signer. */
export * as SolverAccount from "./pay/SolverAccount.ts"
/** The port `StepBuilder`: PSBTs. */
export * as Steps from "./quote/Steps.ts"
/** The port `Treasury`. */
export * as Treasury from "./pay/Treasury.ts"
/** The port `DepositWatcher`. */
export * as Watcher from "./watch/Watcher.ts"
/** The port `WithdrawalObserver`: withdrawals at a final block under a quorum of nodes. */
export * as Withdrawals from "./observe/Withdrawals.ts"
