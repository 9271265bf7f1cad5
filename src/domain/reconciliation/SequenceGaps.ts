/**
 * Sequences that the account has used on its chain and that have no row in the store. They show where to search for
 * unrecorded payments without reading the whole chain: between the blocks of the neighbouring sequences.
 */
import type { KeptPayment } from "./KeptPayment.ts"

/** Sequences that the account has used without a payment in the store. */
export interface SequenceGap {
  readonly from: bigint
  /** The last one, included. */
  readonly to: bigint
  /** The blocks that can hold them, both included. */
  readonly fromBlock: bigint
  readonly toBlock: bigint
}

/** What the store knows of an account's sequences, and how far the chain has come. */
export interface GapBounds {
  /** The first sequence that the store knows of, and a block before it. */
  readonly first: bigint
  readonly firstBlock: bigint
  /** The account's next sequence after the chain's last block. */
  readonly next: bigint
  readonly lastBlock: bigint
}

/** `kept`: the stored payments of one account on one chain. */
export const sequenceGaps = (
  kept: ReadonlyArray<KeptPayment>,
  { first, firstBlock, lastBlock, next }: GapBounds
): ReadonlyArray<SequenceGap> => {
  const known = kept.filter(({ sequence }) => sequence >= first && sequence < next).toSorted((one, other) =>
    Number(one.sequence - other.sequence)
  )
  const gaps: Array<SequenceGap> = []
  let expected = first
  let block = firstBlock
  for (const { block: at, sequence } of known) {
    if (sequence > expected) {
      gaps.push({ from: expected, to: sequence - 1n, fromBlock: block, toBlock: at?.height ?? lastBlock })
    }
    if (sequence >= expected) expected = sequence + 1n
    if (at !== undefined && at.height > block) block = at.height
  }
  return expected < next ? [...gaps, { from: expected, to: next - 1n, fromBlock: block, toBlock: lastBlock }] : gaps
}
