/** A block as every node names it: what a transaction stands in, and what deadlines are compared with. */
import * as Schema from "effect/Schema"

export const BlockRef = Schema.Struct({
  height: Schema.BigIntFromString,
  hash: Schema.NonEmptyString,
  /** Whole seconds since 1970: the block's own time, as all oracles must read it (PROTO-9). */
  time: Schema.Int
})
export type BlockRef = typeof BlockRef.Type
