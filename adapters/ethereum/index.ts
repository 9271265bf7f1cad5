/** `causeway-kit/adapters/ethereum`: the ports of the EVM family, on the JSON-RPC endpoints of its chains. */
/** The port `AddressBalances`. */
export * as AddressBalances from "./watch/AddressBalances.ts"
/** The port `PriceFeeds`: Chainlink aggregators. */
export * as ChainlinkFeeds from "./quote/ChainlinkFeeds.ts"
/** The port `ContractWallets`: EIP-1271. */
export * as ContractWallets from "./quote/ContractWallets.ts"
/** The port `CreditWatcher`. */
export * as Credits from "./watch/Credits.ts"
/** Reads and writes through a chain's endpoints, in order of preference. Each endpoint's chain id is checked. */
export * as EthereumRpc from "./rpc/EthereumRpc.ts"
/** The port `Gas`. */
export * as Gas from "./pay/Gas.ts"
/** The port `HubGate`. */
export * as HubGate from "./observe/HubGate.ts"
/** The port `HubBalances`: a hub under a quorum of endpoints. */
export * as HubBalances from "./observe/HubBalances.ts"
/** The port `ChainObserver`: evidence under a quorum of endpoints. */
export * as Observer from "./observe/Observer.ts"
/** The port `DirectPaymentWatcher`. */
export * as DirectPayments from "./watch/DirectPayments.ts"
/** The port `SentTransactions`. */
export * as SentTransactions from "./watch/SentTransactions.ts"
/** The account that pays, from the solver's key. */
export * as SolverAccount from "./pay/SolverAccount.ts"
/** The port `StepBuilder`. */
export * as Steps from "./quote/Steps.ts"
/** The port `SwapSources`: Uniswap v2 and v3. */
export * as Swaps from "./quote/swaps/index.ts"
/** The port `Treasury`. */
export * as Treasury from "./pay/Treasury.ts"
/** The port `DepositWatcher`. */
export * as Watcher from "./watch/Watcher.ts"
/** The port `WithdrawalObserver`: withdrawals at a final block under a quorum of endpoints. */
export * as Withdrawals from "./observe/Withdrawals.ts"
