/**
 * What a transaction of Solana costs whoever sends it, as far as it is the same everywhere: what services ask for and
 * clients check.
 */

export const LAMPORTS_A_SIGNATURE = 5_000n

/** What a new token account must hold: it stays the account's, whoever paid it (spec: the `rent` component). */
export const TOKEN_ACCOUNT_RENT = 2_039_280n

/** Enough for a deposit, the vault's token account opened with it: what a deposit says that asks for a limit. */
export const DEPOSIT_COMPUTE_UNITS = 200_000
