/** The costs of a Solana transaction. Services quote them and clients check them. */

export const LAMPORTS_A_SIGNATURE = 5_000n

/** An account without data counts as that many bytes. */
const ACCOUNT_BYTES = 128

/**
 * The most that we believe a byte of an account to cost, lamports: twice the price that clusters began with. The price
 * is the chain's own, and only the chain has it (SOLANA-24). This bounds what a node says, and what a client without a
 * chain accepts.
 */
const MOST_LAMPORTS_A_BYTE = 13_920n

/** The least that we believe a byte to cost: a tenth of the price that clusters began with, the last step that is proposed. */
const LEAST_LAMPORTS_A_BYTE = 696n

/** No account of so many bytes costs less, lamports. */
export const leastRent = (bytes: number): bigint => BigInt(ACCOUNT_BYTES + bytes) * LEAST_LAMPORTS_A_BYTE

/** No account of so many bytes costs more, lamports. */
export const mostRent = (bytes: number): bigint => BigInt(ACCOUNT_BYTES + bytes) * MOST_LAMPORTS_A_BYTE

/** A token account of the first token program. */
export const TOKEN_ACCOUNT_BYTES = 165

/** No token account that a quote opens is larger, with all the extensions that a mint may put into it. */
export const MOST_TOKEN_ACCOUNT_BYTES = 200

/** Enough for a deposit that also opens the vault's token account. Used when a deposit sets a compute limit. */
export const DEPOSIT_COMPUTE_UNITS = 200_000
