/**
 * `causeway-kit/adapters/bitcoin`: the ports of the Bitcoin family, on the JSON-RPC of its nodes and an Esplora
 * explorer.
 */
/** The port `ChainObserver`: evidence under a quorum of nodes. */
export * as Observer from "./observe/Observer.ts"
/** The port `WithdrawalObserver`: withdrawals at a final block under a quorum of nodes. */
export * as Withdrawals from "./observe/Withdrawals.ts"
