/** The final block of a chain by the chain's own rule (EVIDENCE-3), read together with the head. */
import type { Hex, PublicClient } from "viem"
import type { Chain } from "../../../src/domain/chain/Chain.ts"

export interface Heads {
  readonly height: bigint
  /** Hash of the newest block. */
  readonly hash: Hex
  /** Seconds: the time of the newest block. */
  readonly time: number
  /** Blocks up to this height are final. −1 when none is. */
  readonly finalHeight: bigint
  /** Hash of the newest final block. Undefined when none is. */
  readonly finalHash: Hex | undefined
}

/**
 * Blocks may come faster than configured, and faster still. If this many steps do not catch up, there is no final block
 * yet.
 */
const MOST_STEPS = 4

const newestOf = (
  { hash, number, timestamp }: { readonly hash: Hex; readonly number: bigint; readonly timestamp: bigint }
) => ({
  height: number,
  hash,
  time: Number(timestamp)
})

/**
 * One round trip on chains with tags, two when the rule is depth and age, more when blocks come faster than configured.
 */
export const readHeads = async (
  client: PublicClient,
  { blockTimeMs, finality }: Pick<Chain, "blockTimeMs" | "finality">
): Promise<Heads> => {
  if (finality._tag === "Tag") {
    const [head, final] = await Promise.all([client.getBlock(), client.getBlock({ blockTag: finality.tag })])
    return { ...newestOf(head), finalHeight: final.number, finalHash: final.hash }
  }
  const { blocks, seconds } = finality
  const head = await client.getBlock()
  // As deep as the rule requires, and old enough at the chain's usual pace.
  let depth = BigInt(Math.max(blocks, Math.ceil((seconds * 1_000) / blockTimeMs)))
  for (let step = 0; step < MOST_STEPS && depth <= head.number; step += 1) {
    const block = await client.getBlock({ blockNumber: head.number - depth })
    const age = Number(head.timestamp - block.timestamp)
    if (age >= seconds) {
      return { ...newestOf(head), finalHeight: block.number, finalHash: block.hash }
    }
    depth = (depth * BigInt(seconds)) / BigInt(Math.max(1, age)) + 1n
  }
  return { ...newestOf(head), finalHeight: -1n, finalHash: undefined }
}
