/**
 * What a chain may have or lack. `sequences`: it counts an account's transactions, and each number is used once.
 * `expiry`: a signed payment can be carried out for so many blocks and then never. `refusal`: there are accounts that
 * take no tokens. `reused-heights`: the block that takes the place of one that was taken back has its height.
 */
export type Trait = "sequences" | "expiry" | "refusal" | "reused-heights"
