/** The costs of a Solana transaction that are the same everywhere. Services quote them and clients check them. */

export const LAMPORTS_A_SIGNATURE = 5_000n

/**
 * The lamports that a new token account must hold. They stay with the account, whoever paid them (spec: the `rent`
 * component).
 */
export const TOKEN_ACCOUNT_RENT = 2_039_280n

/** Enough for a deposit that also opens the vault's token account. Used when a deposit sets a compute limit. */
export const DEPOSIT_COMPUTE_UNITS = 200_000
