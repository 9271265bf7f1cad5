/** The state of a final deposit or payment after a reorg past the chain's finality. */
import type { BlockRef } from "../../evidence/BlockRef.ts"

/**
 * `untouched`: in the same block; `elsewhere`: final again, in another block. If it is on chain but not final, it
 * counts as lost until it is final.
 */
export type AfterReorg = "untouched" | "elsewhere" | "lost"

/** `was`: the block in which it was final. `found`: its block now; undefined when it is not on chain or has changed. */
export const afterReorg = (
  was: BlockRef,
  found: { readonly block: BlockRef; readonly final: boolean } | undefined
): AfterReorg => {
  if (found?.block.hash === was.hash) return "untouched"
  return found?.final === true ? "elsewhere" : "lost"
}
