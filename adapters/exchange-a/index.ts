/** The ports of the family exchangea-vm, on the public Hyperliquid interface of its endpoints. */
/** Nonce mappings, as a transfer service stores them. */
export * as HubMappings from "./observe/HubMappings.ts"
/** The port `ChainObserver`: evidence under a quorum of endpoints. */
export * as Observer from "./observe/Observer.ts"
/** The port `WithdrawalObserver`. */
export * as Withdrawals from "./observe/Withdrawals.ts"
