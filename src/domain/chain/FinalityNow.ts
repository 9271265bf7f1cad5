/** A chain's finality as an endpoint shows it now, and how endpoints agree on it. */
import { reachedBy } from "../quorum/AgreeOnReading.ts"
import type { ReadingRule } from "../quorum/AgreeOnReading.ts"

export interface FinalityNow {
  /** The hash of the chain's block at the height asked for; undefined when the node has no block there. */
  readonly found: string | undefined
  /** The newest final block; undefined when no block is final. */
  readonly newest: { readonly height: bigint; readonly hash: string } | undefined
}

/**
 * Equal: the same block at the height asked for. The newest final block of the combined answer is one that `needed`
 * endpoints have reached; its hash is one endpoint's word.
 */
export const finalityRule = (height: bigint): ReadingRule<FinalityNow> => ({
  same: (left, right) => left.found === right.found,
  combine: (equal, needed) => {
    const [first] = equal
    const reached = reachedBy(equal.flatMap(({ newest }) => newest === undefined ? [] : [newest.height]), needed)
    return { found: first.found, newest: equal.find(({ newest }) => newest?.height === reached)?.newest }
  },
  claims: ({ found, newest }) =>
    found !== undefined && newest !== undefined && newest.height >= height ? "lasting" : "open"
})
