/**
 * Whether the depository has used a call request, as one node shows it in its solidified state (TRON-3, QUORUM-1).
 *
 * Nodes only have the newest solidified state, which may be above the pinned block. A used request stays used, so a
 * request that is unused later was unused at the pinned block too. A request that is used may have been used in
 * between. So when endpoints disagree, all are asked once more, at the solidified block that showed the use or above
 * it.
 *
 * SECURITY: a node's solidified block is read before the call, and must have reached the requested height; its state
 * only grows. On another chain no request was ever used, which would move money back, so every reading checks the
 * chain.
 */
import { Effect, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { Heads } from "../../../src/domain/evidence/Finality.ts"
import type { Endpoint } from "../../quorum/Endpoints.ts"
import { remaining } from "../../quorum/ReadAtFinal.ts"
import type { FinalReading, Seen } from "../../quorum/ReadAtFinal.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { ConstantCall } from "../decode/NodeAnswers.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { assertOn, blockAt, newest, newestSolid, undecodable } from "./ReadPlace.ts"

const decodeCall = Schema.decodeUnknownEffect(ConstantCall)

const heads = Effect.fnUntraced(
  function*(endpoint: Endpoint<TronNode>, chain: Chain, until: number): Effect.fn.Return<Heads, ReadFault> {
    const deadline = yield* remaining(until)
    const [solid, head] = yield* Effect.all(
      [newestSolid(endpoint.rpc, deadline), newest(endpoint.rpc, deadline), assertOn(endpoint.rpc, chain, deadline)],
      { concurrency: "unbounded" }
    )
    endpoint.verified = true
    // The two are read at the same time and may be a block apart. The head is never taken below the solidified block.
    const last = head.height < solid.height ? solid : head
    return { finalHeight: solid.height, head: { height: last.height, time: last.time } }
  }
)

/** The depository's own answer. A constant call needs an existing sender: the depository itself. */
const isUsed = Effect.fnUntraced(
  function*(
    { solidity }: TronNode,
    { depository }: Chain,
    id: Hex32,
    deadline: number
  ): Effect.fn.Return<boolean, ReadFault> {
    const answer = yield* solidity("triggerconstantcontract", {
      owner_address: depository,
      contract_address: depository,
      function_selector: "callRequests(bytes32)",
      parameter: id.slice(2),
      visible: true
    }, deadline)
    const { constant_result: [word] } = yield* undecodable(decodeCall(answer))
    const value = BigInt(`0x${word}`)
    return value === 0n || value === 1n ? value === 1n : yield* Effect.fail("undecodable" as const)
  }
)

/** The state of one request, read at height `least` or above. */
export const callRequestReading = (chain: Chain, id: Hex32, least = 0n): FinalReading<boolean, TronNode> => {
  let seenUsedAt = 0n
  const at = Effect.fnUntraced(
    function*({ rpc }: Endpoint<TronNode>, height: bigint, until: number): Effect.fn.Return<Seen<boolean>, ReadFault> {
      const deadline = yield* remaining(until)
      const [block, before] = yield* Effect.all([
        blockAt({ wallet: rpc.solidity }, height, deadline),
        newestSolid(rpc, deadline)
      ], { concurrency: "unbounded" })
      if (before.height < height || before.height < least) return yield* Effect.fail("contradiction" as const)
      const value = yield* isUsed(rpc, chain, id, yield* remaining(until))
      if (value) {
        const after = yield* newestSolid(rpc, yield* remaining(until))
        seenUsedAt = after.height > seenUsedAt ? after.height : seenUsedAt
      }
      return { block, value }
    }
  )
  return {
    slug: chain.slug,
    heads: (endpoint, until) => heads(endpoint, chain, until),
    at,
    ...(least === 0n ? { later: () => seenUsedAt === 0n ? undefined : callRequestReading(chain, id, seenUsedAt) } : {})
  }
}
