/**
 * Whether the depository program has executed a withdrawal, as one endpoint shows it at a slot that is final (SOLANA-5,
 * QUORUM-1).
 *
 * Nodes have the state of their own final slot only, which may be above the pinned one. An account that is not there
 * later was not there at the pinned slot either, because the program never closes one; one that is there may have come
 * in between. So where endpoints differ, all are asked once more at no less than the latest slot at which it was seen.
 *
 * SECURITY: on another cluster no withdrawal was ever executed, and that moves money back: every reading asks which it
 * is.
 */
import { Effect, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { isUsed } from "../../../src/domain/families/solana/evidence/UsedRequest.ts"
import { remaining } from "../../quorum/ReadAtFinal.ts"
import type { FinalReading, Seen } from "../../quorum/ReadAtFinal.ts"
import type { Endpoint } from "../../quorum/Endpoints.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import type { Heads } from "../../../src/domain/evidence/Finality.ts"
import { bytesOfBase64, RawAccount, Slot } from "../decode/NodeAnswers.ts"
import { asBlock, asSlot, blockCall, genesisCall, isGenesis, slotCall, undecodable } from "./ReadTransaction.ts"

const decodeAccount = Schema.decodeUnknownEffect(RawAccount)
const decodeTime = Schema.decodeUnknownEffect(Slot)

const heads = Effect.fnUntraced(
  function*(endpoint: Endpoint, chain: Chain, until: number): Effect.fn.Return<Heads, ReadFault> {
    const { rpc } = endpoint
    const [final, newest, genesis] = yield* rpc.batch(
      [slotCall("finalized"), slotCall("confirmed"), genesisCall],
      yield* remaining(until)
    )
    if (!isGenesis(chain, genesis)) return yield* Effect.fail("wrong-chain" as const)
    endpoint.verified = true
    const [finalSlot, headSlot] = [yield* asSlot(final), yield* asSlot(newest)]
    // Asked at the same time, the two may be answered a slot apart, never the other way round by much.
    const head = Math.max(finalSlot, headSlot)
    const [time] = yield* rpc.batch([{ method: "getBlockTime", params: [head] }], yield* remaining(until))
    return {
      finalHeight: BigInt(finalSlot),
      head: { height: BigInt(head), time: yield* undecodable(decodeTime(time)) }
    }
  }
)

/** The fact of one account, read no earlier than `least`. */
export const usedRequestReading = (chain: Chain, account: string, least = 0): FinalReading<boolean> => {
  let seenUsedAt = 0
  const at = Effect.fnUntraced(
    function*({ rpc }: Endpoint, height: bigint, until: number): Effect.fn.Return<Seen<boolean>, ReadFault> {
      const slot = Number(height)
      const minContextSlot = Math.max(slot, least)
      const [block, answer] = yield* rpc.batch([
        blockCall(slot, "finalized"),
        { method: "getAccountInfo", params: [account, { commitment: "finalized", encoding: "base64", minContextSlot }] }
      ], yield* remaining(until))
      const { blockTime, blockhash } = yield* asBlock(block)
      const { context, value } = yield* undecodable(decodeAccount(answer))
      if (context.slot < minContextSlot) return yield* Effect.fail("contradiction" as const)
      const used = isUsed(
        value === null ? undefined : { owner: value.owner, data: bytesOfBase64(value.data[0]) },
        chain.depository
      )
      if (used === undefined) return yield* Effect.fail("undecodable" as const)
      if (used) seenUsedAt = Math.max(seenUsedAt, context.slot)
      return { block: { height, hash: blockhash, time: blockTime }, value: used }
    }
  )
  return {
    slug: chain.slug,
    heads: (endpoint, until) => heads(endpoint, chain, until),
    at,
    ...(least === 0
      ? { later: () => seenUsedAt === 0 ? undefined : usedRequestReading(chain, account, seenUsedAt) }
      : {})
  }
}
