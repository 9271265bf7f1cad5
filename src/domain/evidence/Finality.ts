/**
 * When a block is final (EVIDENCE-3): by the node's tag, or by depth and age. Never above the height that the quorum of
 * endpoints pinned.
 *
 * Guarantee: monotone. A final block stays final as the heads grow. How many confirmations an amount requires is a rule
 * of transfers, not decided here.
 */
import * as Schema from "effect/Schema"
import type { FinalityRule } from "../chain/Chain.ts"
import type { BlockRef } from "./BlockRef.ts"

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

/** The observed finality of a block. `confirmations` counts the blocks on top of it, without the block itself. */
export const FinalitySeen = Schema.Union([
  Schema.TaggedStruct("Final", {}),
  Schema.TaggedStruct("Pending", {
    confirmations: Count,
    needed: Count,
    /** Seconds until the block is old enough for the rule, by the head's time. 0 when only blocks are missing. */
    secondsLeft: Count
  })
])
export type FinalitySeen = typeof FinalitySeen.Type

/** The heads of a chain as its quorum pinned them. Every endpoint is judged against the same heads. */
export interface Heads {
  /** Blocks up to this height are final according to the endpoints. −1 when none is. */
  readonly finalHeight: bigint
  readonly head: { readonly height: bigint; readonly time: number }
}

const greatest = BigInt(Number.MAX_SAFE_INTEGER)

const count = (value: bigint): number => value <= 0n ? 0 : Number(value < greatest ? value : greatest)

/** The confirmations that the rule requires. For a tag, the distance between the tagged block and the head. */
const neededBlocks = (rule: FinalityRule, heads: Heads): bigint =>
  rule._tag === "Depth" ? BigInt(rule.blocks) : heads.head.height - heads.finalHeight

/** The finality of a block by the chain's rule. Heights are of one chain, times in seconds. */
export const finalityOf = (rule: FinalityRule, block: BlockRef, heads: Heads): FinalitySeen => {
  const confirmations = heads.head.height - block.height
  const age = heads.head.time - block.time
  const pinned = block.height <= heads.finalHeight
  const secondsLeft = rule._tag === "Depth" ? Math.max(0, rule.seconds - age) : 0
  const deep = rule._tag === "Tag" || confirmations >= BigInt(rule.blocks)
  return pinned && deep && secondsLeft === 0
    ? { _tag: "Final" }
    : { _tag: "Pending", confirmations: count(confirmations), needed: count(neededBlocks(rule, heads)), secondsLeft }
}
