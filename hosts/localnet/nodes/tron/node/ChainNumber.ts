/** The number of the local Tron chain: of no public one, and the end of its first block's id. */
export const TRON_CHAIN_ID = 616140
