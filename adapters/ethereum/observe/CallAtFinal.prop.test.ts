import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { keccak256, toHex } from "viem"
import { inputs } from "../../../scripts/testing/Tally.ts"
import type { FinalityRule } from "../../../src/domain/chain/Chain.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { makeEndpointQuorum, tolerated } from "../../../src/domain/quorum/EndpointQuorum.ts"
import type { RpcFault } from "../../quorum/rpc/Deadline.ts"
import type { RpcCall } from "../../quorum/rpc/JsonRpcPool.ts"
import { callableHosts, callAtFinal } from "./CallAtFinal.ts"
import { readFinalHeads } from "./ReadFinalHeads.ts"

const ID = ChainId.make(7)
const TAG = { _tag: "Tag", tag: "finalized", seconds: 1 } as const
const DEADLINE = 4_000
/** From this block on the request is used. */
const USED_AT = 100

/** A node as the adapter sees it: its answers about heads, blocks and calls, after some milliseconds. */
interface Node {
  readonly lies: boolean
  readonly final: number
  readonly head: number
  readonly delay: number
  /** Undefined: the node has no state of old blocks. */
  readonly used: ((height: number) => boolean) | undefined
  readonly hash: (height: number) => string
  readonly time: (height: number) => number
}

const trueHash = (height: number) => keccak256(toHex(height))
const trueTime = (height: number) => 1_000 + 2 * height
const trueUsed = (height: number) => height >= USED_AT

const answerOf = (
  { final, hash, head, time, used }: Node,
  { method, params: [first, at] }: RpcCall
): Effect.Effect<unknown, RpcFault> => {
  if (method === "eth_chainId") return Effect.succeed("0x7")
  if (method === "eth_call") {
    return used === undefined
      ? Effect.fail("refused")
      : Effect.succeed(toHex(used(Number(at)), { size: 32 }))
  }
  const height = first === "latest" ? head : first === "finalized" ? final : Number(first)
  return Effect.succeed({ number: toHex(height), hash: hash(height), timestamp: toHex(time(height)) })
}

const endpointOf = (node: Node, index: number) => ({
  host: `node-${index}`,
  verified: false,
  rpc: {
    batch: (calls: ReadonlyArray<RpcCall>, deadline: number) =>
      node.delay >= deadline
        ? Effect.andThen(Effect.sleep(deadline), Effect.fail("timeout" as const))
        : Effect.andThen(Effect.sleep(node.delay), Effect.forEach(calls, (call) => answerOf(node, call)))
  }
})

const delay = fc.constantFrom(0, 0, 10, 1_000, DEADLINE)
const heights = fc.tuple(fc.integer({ min: 90, max: 110 }), fc.integer({ min: 0, max: 5 }))
const truthful: fc.Arbitrary<Node> = fc.tuple(heights, delay, fc.boolean()).map(([[final, more], ms, hasState]) => ({
  lies: false,
  final,
  head: final + more,
  delay: ms,
  used: hasState ? trueUsed : undefined,
  hash: trueHash,
  time: trueTime
}))
const liar: fc.Arbitrary<Node> = fc.tuple(
  fc.constantFrom(0, 80, 105, 1_000_000),
  fc.constantFrom(0, 1_000_000),
  fc.boolean(),
  fc.boolean(),
  fc.boolean(),
  delay
).map(
  ([final, ahead, says, forks, hastes, ms]) => ({
    lies: true,
    final,
    head: final + ahead,
    delay: ms,
    used: () => says,
    hash: forks ? (height: number) => keccak256(toHex(height + 1)) : trueHash,
    time: hastes ? (height: number) => 1_000_000 + height : trueTime
  })
)

interface Play {
  readonly needed: number
  readonly nodes: ReadonlyArray<Node>
}

const play = (good: fc.Arbitrary<Node>): fc.Arbitrary<Play> =>
  fc.integer({ min: 1, max: 5 }).chain((size) =>
    fc.integer({ min: 1, max: size }).chain((needed) =>
      fc.integer({ min: 0, max: Math.max(0, Math.min(size - needed, needed - 1)) }).chain((liars) =>
        fc.tuple(
          fc.array(liar, { minLength: liars, maxLength: liars }),
          fc.array(good, { minLength: size - liars, maxLength: size - liars })
        )
          .chain(([bad, others]) => fc.shuffledSubarray([...bad, ...others], { minLength: size }))
          .map((nodes) => ({ needed, nodes }))
      )
    )
  )

const quorumOf = ({ needed, nodes }: Play) =>
  Result.getOrThrow(makeEndpointQuorum(nodes.map((_, index) => `node-${index}`), needed))

const read = (made: Play) =>
  Effect.gen(function*() {
    const open = { quorum: quorumOf(made), all: made.nodes.map(endpointOf) }
    const call = { to: "0x", data: "0x", valueOf: (word: bigint) => word === 1n }
    const reading = yield* Effect.forkChild(
      Effect.result(Effect.scoped(callAtFinal({ slug: "c", id: ID, finality: TAG }, open, call, DEADLINE)))
    )
    const passing = Effect.forever(Effect.andThen(TestClock.adjust("250 millis"), Effect.yieldNow))
    return yield* Effect.raceFirst(Fiber.join(reading), passing)
  }).pipe(Effect.provide([TestClock.layer(), Logger.layer([])]), Effect.runPromise)

describe("a call at a final block under a quorum", () => {
  it("never returns a false answer, or one at a block or head that no honest endpoint has reached, with as many liars as the quorum tolerates", () =>
    fc.assert(
      fc.asyncProperty(play(truthful), async (made) => {
        const { nodes } = made
        assert.isAtMost(nodes.filter(({ lies }) => lies).length, tolerated(quorumOf(made)))
        const said = await read(made)
        if (Result.isFailure(said)) return
        const { block, headTime, value } = said.success
        const height = Number(block.height)
        const good = nodes.filter(({ lies }) => !lies)
        assert.deepStrictEqual([value, block.hash, block.time], [trueUsed(height), trueHash(height), trueTime(height)])
        assert.isAtMost(height, Math.max(...good.map(({ final }) => final)))
        assert.isAtMost(headTime, Math.max(...good.map(({ head }) => trueTime(head))))
        // Below a majority all reachable nodes have to agree.
        if (made.needed * 2 > nodes.length) return
        for (const { delay: ms, final, hash, time, used } of nodes) {
          if (ms < DEADLINE && final >= height && used !== undefined) {
            assert.deepStrictEqual([used(height), hash(height), time(height)], [value, block.hash, block.time])
          }
        }
      }),
      { numRuns: inputs(200, 30_000) }
    ))

  it("succeeds, however late some endpoints are, when all honest ones have one block and its state", () => {
    const standing = truthful.map((node) => ({
      ...node,
      final: 101,
      head: 103,
      used: trueUsed,
      delay: node.delay === DEADLINE ? 1_000 : node.delay
    }))
    return fc.assert(
      fc.asyncProperty(play(standing).filter((made) => made.needed * 2 > made.nodes.length), async (made) => {
        const said = await read(made)
        assert.isTrue(Result.isSuccess(said) && said.success.value)
      }),
      { numRuns: inputs(200, 30_000) }
    )
  })

  it("uses the block that depth and age make final, at any block rate", () => {
    const rule = fc.record({ blocks: fc.integer({ min: 1, max: 20 }), seconds: fc.integer({ min: 0, max: 120 }) })
    return fc.assert(
      fc.asyncProperty(
        rule,
        fc.integer({ min: 0, max: 15 }),
        fc.integer({ min: 0, max: 400 }),
        async ({ blocks, seconds }, pace, head) => {
          const finality: FinalityRule = { _tag: "Depth", blocks, seconds }
          const time = (height: number) => 1_000 + height * pace
          const node: Node = { lies: false, final: 0, head, delay: 0, used: trueUsed, hash: trueHash, time }
          const { finalHeight } = await Effect.runPromise(
            readFinalHeads(endpointOf(node, 0), { slug: "c", id: ID, finality }, Number.MAX_SAFE_INTEGER)
          )
          const isFinal = (height: number) =>
            height >= 0 && head - height >= blocks && time(head) - time(height) >= seconds
          if (finalHeight >= 0n) assert.isTrue(isFinal(Number(finalHeight)))
          else assert.isTrue(head < blocks || pace === 0 || !isFinal(0) || seconds > 0)
          if (isFinal(head - blocks)) assert.strictEqual(finalHeight, BigInt(head - blocks))
        }
      ),
      { numRuns: inputs(200, 30_000) }
    )
  })

  it.effect("never exceeds its deadline, for any number of steps and any delay", () =>
    Effect.gen(function*() {
      // Blocks come so fast that each step finds a block that is too young.
      const time = (height: number) => 1_000 + Math.floor(height / 1_000)
      const node: Node = { lies: false, final: 0, head: 1_000_000, delay: 1_500, used: trueUsed, hash: trueHash, time }
      const chain = { slug: "c", id: ID, finality: { _tag: "Depth", blocks: 1, seconds: 900 } } as const
      const quorum = Result.getOrThrow(makeEndpointQuorum(["node-0"]))
      const open = { quorum, all: [endpointOf(node, 0)] }
      const call = { to: "0x", data: "0x", valueOf: (word: bigint) => word === 1n }
      const took = Effect.fnUntraced(function*<A>(reading: Effect.Effect<A>) {
        const from = yield* Clock.currentTimeMillis
        const fiber = yield* Effect.forkChild(Effect.andThen(reading, Clock.currentTimeMillis))
        yield* TestClock.adjust("1 minute")
        return (yield* Fiber.join(fiber)) - from
      })
      assert.isAtMost(yield* took(callableHosts(chain, open, call, DEADLINE)), DEADLINE)
      assert.isAtMost(yield* took(Effect.scoped(Effect.exit(callAtFinal(chain, open, call, DEADLINE)))), 2 * DEADLINE)
      // A node that is quick enough for all of its steps counts.
      const quick = { quorum, all: [endpointOf({ ...node, delay: 500, time: trueTime, head: 1_000 }, 0)] }
      let hosts: ReadonlyArray<string> = []
      yield* took(Effect.map(callableHosts(chain, quick, call, DEADLINE), (found) => {
        hosts = found
      }))
      assert.deepStrictEqual(hosts, ["node-0"])
    }))
})
