/**
 * How something that was final stands after its chain was reorganised past its finality: a deposit, or a payment of
 * ours.
 */
import type { BlockRef } from "../deposit/Deposit.ts"

/**
 * `untouched`: where it was; `elsewhere`: final again, in another block. What is there and not final is lost until it
 * is.
 */
export type Remains = "untouched" | "elsewhere" | "lost"

/**
 * `was`: the block that it was final in; `found`: where it is now, undefined when it is not there or no longer what it
 * was.
 */
export const remainsOf = (
  was: BlockRef,
  found: { readonly block: BlockRef; readonly final: boolean } | undefined
): Remains => {
  if (found?.block.hash === was.hash) return "untouched"
  return found?.final === true ? "elsewhere" : "lost"
}
