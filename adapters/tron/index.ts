/** `causeway-kit/adapters/tron`: the ports of the Tron family, on the JSON-RPC and the HTTP API of its nodes. */
/** The port `ChainObserver`: evidence under a quorum of nodes. */
export * as Observer from "./observe/Observer.ts"
/** The port `WithdrawalObserver`: withdrawals in the solidified state under a quorum of nodes. */
export * as Withdrawals from "./observe/Withdrawals.ts"
