/**
 * The final block of a chain according to one endpoint, by the chain's rule (EVIDENCE-3), with the head that it is
 * compared to. One round trip on chains with tags, at least two when the rule is depth and age.
 */
import { Effect, Schema } from "effect"
import type { FinalityRule } from "../../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { finalityOf } from "../../../src/domain/evidence/Finality.ts"
import type { Heads } from "../../../src/domain/evidence/Finality.ts"
import { RawBlock } from "../decode/NodeAnswers.ts"
import { Quantity } from "../../quorum/rpc/EvmReceipt.ts"
import type { Endpoint } from "../../quorum/Endpoints.ts"
import { remaining } from "../../quorum/ReadAtFinal.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import type { RpcCall } from "../../quorum/rpc/JsonRpcPool.ts"

/** What is read at a final block: an EVM chain, or a hub. */
export interface FinalChain {
  readonly slug: string
  readonly id: ChainId
  readonly finality: FinalityRule
}

const decodeQuantity = Schema.decodeUnknownEffect(Quantity)
const decodeBlock = Schema.decodeUnknownEffect(RawBlock)

const undecodable = Effect.mapError((): ReadFault => "undecodable")

/** A block by its number or tag. */
export const blockAt = (block: string): RpcCall => ({ method: "eth_getBlockByNumber", params: [block, false] })
export const quantity = (value: bigint): string => `0x${value.toString(16)}`

export const asBlock = (answer: unknown) => undecodable(decodeBlock(answer))

/** Blocks may come faster than the rule's seconds. If this many steps do not catch up, there is no final block yet. */
const MOST_STEPS = 4

/** The newest block that is both deep and old enough. */
const byDepth = Effect.fnUntraced(function*(
  { rpc }: Endpoint,
  finality: Extract<FinalityRule, { _tag: "Depth" }>,
  latest: RawBlock,
  until: number
): Effect.fn.Return<Heads, ReadFault> {
  const head = { height: latest.number, time: latest.timestamp }
  let depth = BigInt(finality.blocks)
  for (let step = 0; step < MOST_STEPS && depth <= latest.number; step += 1) {
    const height = latest.number - depth
    const [answer] = yield* rpc.batch([blockAt(quantity(height))], yield* remaining(until))
    const { hash, number, timestamp } = yield* asBlock(answer)
    if (number !== height) return yield* Effect.fail("contradiction" as const)
    const seen = finalityOf(finality, { height, hash, time: timestamp }, { finalHeight: height, head })
    if (seen._tag === "Final") return { finalHeight: height, head }
    const age = BigInt(Math.max(1, latest.timestamp - timestamp))
    depth = (depth * BigInt(finality.seconds)) / age + 1n
  }
  return { finalHeight: -1n, head }
})

/**
 * The endpoint's final height, −1 when it has no final block. Also asks for the chain's id while it is not verified.
 * `until`, milliseconds: when all of it must be done.
 */
export const readFinalHeads = Effect.fnUntraced(function*(
  endpoint: Endpoint,
  { finality, id }: FinalChain,
  until: number
): Effect.fn.Return<Heads, ReadFault> {
  const verify = !endpoint.verified
  const asked: ReadonlyArray<RpcCall> = [
    blockAt("latest"),
    ...(finality._tag === "Tag" ? [blockAt(finality.tag)] : []),
    ...(verify ? [{ method: "eth_chainId", params: [] }] : [])
  ]
  const answers = yield* endpoint.rpc.batch(asked, yield* remaining(until))
  if (verify && (yield* undecodable(decodeQuantity(answers.at(-1)))) !== BigInt(id)) {
    return yield* Effect.fail("wrong-chain" as const)
  }
  endpoint.verified = true
  const latest = yield* asBlock(answers[0])
  if (finality._tag === "Depth") return yield* byDepth(endpoint, finality, latest, until)
  const final = yield* asBlock(answers[1])
  if (final.number > latest.number || final.timestamp > latest.timestamp) {
    return yield* Effect.fail("contradiction" as const)
  }
  return { finalHeight: final.number, head: { height: latest.number, time: latest.timestamp } }
})
