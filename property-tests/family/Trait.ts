/**
 * What a chain may have or lack. `sequences`: it counts an account's transactions, and each number is used once.
 * `expiry`: a signed payment can be executed within a number of blocks and then never. `coins`: a payment spends things
 * that are spent once, and claims them. `refusal`: some accounts cannot receive tokens. `reorgs`: what a block holds can
 * be taken back until it is final. `reused-heights`: after a reorg, the new block has the height of the removed one.
 */
export type Trait = "sequences" | "expiry" | "coins" | "refusal" | "reorgs" | "reused-heights"
