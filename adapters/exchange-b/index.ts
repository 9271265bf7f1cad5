/** The ports of the family exchangeb-vm, on the public Lighter interface of its endpoints. */
/** The port `ChainObserver`: evidence under a quorum of endpoints. */
export * as Observer from "./observe/Observer.ts"
/** The port `WithdrawalObserver`. */
export * as Withdrawals from "./observe/Withdrawals.ts"
