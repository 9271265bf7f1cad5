/** `causeway-kit/adapters/solana`: the ports of the Solana family, on the JSON-RPC endpoints of its clusters. */
/** The port `ChainObserver`: evidence under a quorum of endpoints. */
export * as Observer from "./Observer.ts"
/** The port `WithdrawalObserver`: withdrawals at a final slot under a quorum of endpoints. */
export * as Withdrawals from "./Withdrawals.ts"
