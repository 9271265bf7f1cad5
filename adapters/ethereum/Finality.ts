/** Which block of a chain is final, by the chain's own rule (spec/4 §6): read together with the head it is compared to. */
import type { Effect } from "effect"
import type { Block } from "viem"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainUnavailable } from "../../ports/ChainUnavailable.ts"
import type { EthereumRpc } from "./EthereumRpc.ts"

export interface Heads {
  readonly head: Block<bigint, false, "latest">
  /** Blocks up to this height are final; −1 when none is. */
  readonly finalHeight: bigint
}

/** Head and final height in one round trip where the chain has tags, two where the rule is depth and age. */
export const readHeads = (rpc: EthereumRpc["Service"], chain: Chain): Effect.Effect<Heads, ChainUnavailable> => {
  const { finality } = chain
  if (finality._tag === "Tag") {
    return rpc.call(chain, "final block", async (client) => {
      const [head, final] = await Promise.all([
        client.getBlock({ blockTag: "latest" }),
        client.getBlock({ blockTag: finality.tag })
      ])
      return { head, finalHeight: final.number }
    })
  }
  return rpc.call(chain, "final block", async (client) => {
    const head = await client.getBlock({ blockTag: "latest" })
    const deep = head.number - BigInt(finality.blocks)
    if (deep < 0n) return { head, finalHeight: -1n }
    const block = await client.getBlock({ blockNumber: deep })
    const old = Number(head.timestamp - block.timestamp) >= finality.seconds
    return { head, finalHeight: old ? deep : -1n }
  })
}
