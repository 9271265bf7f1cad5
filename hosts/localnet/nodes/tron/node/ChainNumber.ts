/** The number of the local Tron chain: no public chain has it. It is the end of its first block's id. */
export const TRON_CHAIN_ID = 616140
