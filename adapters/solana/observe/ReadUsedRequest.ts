/**
 * Whether the depository program has executed a withdrawal, as one endpoint shows it at a final slot (SOLANA-5,
 * QUORUM-1).
 *
 * Nodes only have the state of their own final slot, which may be above the pinned one. The program never closes an
 * account, so an account that is missing later was missing at the pinned slot too. An account that exists may have been
 * created in between. So when endpoints disagree, all are asked once more, at the latest slot that showed the account
 * or above it.
 *
 * SECURITY: on another cluster no withdrawal was ever executed, which would move money back, so every reading checks
 * the cluster.
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
    // The two are read at the same time and may be a slot apart. The head is never taken below the final slot.
    const head = Math.max(finalSlot, headSlot)
    const [time] = yield* rpc.batch([{ method: "getBlockTime", params: [head] }], yield* remaining(until))
    return {
      finalHeight: BigInt(finalSlot),
      head: { height: BigInt(head), time: yield* undecodable(decodeTime(time)) }
    }
  }
)

/** Whether the account exists, read at slot `least` or above. */
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
