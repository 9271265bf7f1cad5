/**
 * Smallest units of USDC that the solver's account never pays out from perps: a cent, of which each nonce that is used
 * for nothing moves a millionth of a dollar to its spot (EXCHANGEB-22).
 */
export const KEPT_ON_PERPS = 10_000n
