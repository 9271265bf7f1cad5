/** Which block of a chain is final, by the chain's own rule (spec/4 §6): read together with the head it is compared to. */
import type { Hex, PublicClient } from "viem"
import type { Chain } from "../../src/domain/chain/Chain.ts"

export interface Heads {
  readonly height: bigint
  /** Blocks up to this height are final; −1 when none is. */
  readonly finalHeight: bigint
  /** Of the newest block that is final; undefined when none is. */
  readonly finalHash: Hex | undefined
}

/** One round trip where the chain has tags, two where the rule is depth and age. */
export const readHeads = async (client: PublicClient, { finality }: Chain): Promise<Heads> => {
  if (finality._tag === "Tag") {
    const [head, final] = await Promise.all([client.getBlock(), client.getBlock({ blockTag: finality.tag })])
    return { height: head.number, finalHeight: final.number, finalHash: final.hash }
  }
  const head = await client.getBlock()
  const deep = head.number - BigInt(finality.blocks)
  if (deep < 0n) return { height: head.number, finalHeight: -1n, finalHash: undefined }
  const block = await client.getBlock({ blockNumber: deep })
  const old = Number(head.timestamp - block.timestamp) >= finality.seconds
  return old
    ? { height: head.number, finalHeight: deep, finalHash: block.hash }
    : { height: head.number, finalHeight: -1n, finalHash: undefined }
}
