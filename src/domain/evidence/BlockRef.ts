/** A block as every node identifies it. Transactions are in it, and deadlines are compared with its time. */
import * as Schema from "effect/Schema"

/** A block by height and hash, with its time in whole seconds. */
export const BlockRef = Schema.Struct({
  height: Schema.BigIntFromString,
  hash: Schema.NonEmptyString,
  /**
   * Whole seconds since 1970: the block's own time, as all oracles must read it (PROTO-9). Every deadline is compared
   * with it (PRICE-18).
   */
  time: Schema.Int
})
export type BlockRef = typeof BlockRef.Type
