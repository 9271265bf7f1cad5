/**
 * One contract call at a final block, under the quorum of an EVM chain's endpoints. Reads the call and the block's
 * header at exactly the height that the quorum has pinned. An endpoint without the state of that block has no vote.
 */
import { Effect } from "effect"
import { readableHosts, readAtFinal, remaining } from "../../quorum/ReadAtFinal.ts"
import type { FinalReading, Seen } from "../../quorum/ReadAtFinal.ts"
import type { Endpoint, OpenQuorum } from "../../quorum/Endpoints.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import type { JsonRpc } from "../../quorum/rpc/JsonRpc.ts"
import { asBlock, blockAt, quantity, readFinalHeads } from "./ReadFinalHeads.ts"
import type { FinalChain } from "./ReadFinalHeads.ts"

/** A call without a sender, and the meaning of its 32-byte result. Undefined for a result that has none. */
export interface FinalCall<A> {
  readonly to: string
  readonly data: string
  readonly valueOf: (word: bigint) => A | undefined
}

const WORD = /^0x[0-9a-f]{64}$/i

/** The call at this height, as one endpoint answers it. */
const readAt = Effect.fnUntraced(
  function*<A>(
    { rpc }: Endpoint,
    height: bigint,
    call: FinalCall<A>,
    until: number
  ): Effect.fn.Return<Seen<A>, ReadFault> {
    const at = quantity(height)
    const [header, result] = yield* rpc.batch([blockAt(at), {
      method: "eth_call",
      params: [{ to: call.to, data: call.data }, at]
    }], yield* remaining(until))
    const { hash, number, timestamp } = yield* asBlock(header)
    if (number !== height) return yield* Effect.fail("contradiction" as const)
    const value = typeof result === "string" && WORD.test(result) ? call.valueOf(BigInt(result)) : undefined
    return value === undefined
      ? yield* Effect.fail("undecodable" as const)
      : { block: { height, hash, time: timestamp }, value }
  }
)

/** How each endpoint is asked for the call. */
export const readingOf = <A>(chain: FinalChain, call: FinalCall<A>): FinalReading<A> => ({
  slug: chain.slug,
  heads: (endpoint, until) => readFinalHeads(endpoint, chain, until),
  at: (endpoint, height, until) => readAt(endpoint, height, call, until)
})

/** The result of the call at the pinned block. `deadline`: as in `readAtFinal`. */
export const callAtFinal = <A>(
  chain: FinalChain,
  open: OpenQuorum,
  call: FinalCall<A>,
  deadline: number
): ReturnType<typeof readAtFinal<A, JsonRpc>> => readAtFinal(readingOf(chain, call), open, deadline)

/** The hosts that can execute the call at their own final block. */
export const callableHosts = <A>(chain: FinalChain, open: OpenQuorum, call: FinalCall<A>, deadline: number) =>
  readableHosts(readingOf(chain, call), open, deadline)
