/**
 * A payment counts as dead only when no block can ever hold it: against every order of blocks, forks, solidified blocks
 * and reads, with nodes that lag, whose two parts are apart, and one endpoint of three that lies.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { agreeOnReading } from "../../../src/domain/quorum/AgreeOnReading.ts"
import type { EndpointAnswer } from "../../../src/domain/quorum/AgreeOnEvidence.ts"
import { makeEndpointQuorum } from "../../../src/domain/quorum/EndpointQuorum.ts"
import { tron } from "../../../src/domain/quote/testing/Chains.ts"
import { outcomeRule } from "../../../src/domain/transfer/payment/PaymentOutcome.ts"
import type { PaymentOutcome } from "../../../src/domain/transfer/payment/PaymentOutcome.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { readOutcome } from "./Landing.ts"
import type { DecodedVariant } from "./Landing.ts"

const chain: Chain = tron
const ID = "ab".repeat(32)
const START = 1_700_000_000
/** Seconds: three blocks, so that all of it happens often. */
const LIFETIME = 9

interface Block {
  readonly hash: string
  /** Seconds. */
  readonly time: number
  readonly holdsPayment: boolean
}

/** The chain as all honest nodes come to see it. A block's place is its height. */
interface World {
  readonly blocks: ReadonlyArray<Block>
  /** The height of the newest solidified block. */
  readonly solid: number
}

const genesis: Block = {
  hash: `${"0".repeat(56)}${chain.id.toString(16).padStart(8, "0")}`,
  time: START,
  holdsPayment: false
}

const owner = Address.make(`0x${"01".repeat(20)}`)

const payment: DecodedVariant = {
  transactionId: Result.getOrThrow(parseTransactionId(chain.family, ID)),
  signedHex: "",
  transaction: {
    id: ID,
    memo: new Uint8Array(0),
    owner,
    act: {
      _tag: "Transfer",
      owner,
      to: Address.make(`0x${"02".repeat(20)}`),
      amount: 1n
    }
  },
  isSweep: false,
  expiration: (START + LIFETIME) * 1_000,
  reference: 0n
}

/** The chain's own rule: the newest block before the one that would hold it has not reached the expiration. */
const mayHold = ({ blocks }: World): boolean =>
  (blocks.at(-1)?.time ?? 0) * 1_000 < payment.expiration && !blocks.some(({ holdsPayment }) => holdsPayment)

type Event =
  | { readonly _tag: "Block"; readonly slots: number; readonly wants: boolean }
  | { readonly _tag: "Fork"; readonly depth: number }
  | { readonly _tag: "Solidify"; readonly blocks: number }

const happen = (world: World, event: Event, nth: number): World => {
  const { blocks, solid } = world
  switch (event._tag) {
    case "Block": {
      const time = (blocks.at(-1)?.time ?? START) + event.slots * 3
      const hash = `${blocks.length.toString(16).padStart(16, "0")}${nth.toString(16).padStart(48, "0")}`
      return { blocks: [...blocks, { hash, time, holdsPayment: event.wants && mayHold(world) }], solid }
    }
    case "Fork":
      return { blocks: blocks.slice(0, Math.max(solid + 1, blocks.length - event.depth)), solid }
    case "Solidify":
      return { blocks, solid: Math.min(blocks.length - 1, solid + event.blocks) }
  }
}

/** Every state, oldest first. */
const historyOf = (events: ReadonlyArray<Event>): ReadonlyArray<World> =>
  events.reduce<ReadonlyArray<World>>(
    (worlds, event, nth) => [...worlds, happen(worlds.at(-1) ?? { blocks: [genesis], solid: 0 }, event, nth + 1)],
    [{ blocks: [genesis], solid: 0 }]
  )

/** How a node answers one request. */
type Manner = "honest" | "nothing" | "future"

interface Node {
  /** How many events each part is behind. */
  readonly full: number
  readonly solid: number
  /** How it answers one request after the other, again and again. Empty for an honest node. */
  readonly lies: ReadonlyArray<Manner>
}

const header = ({ hash, time }: Block, height: number) => ({
  blockID: hash,
  block_header: { raw_data: { number: height, timestamp: time * 1_000 } }
})

/** `clock`: which state is the newest one. Each request moves it on. */
const nodeOf = ({ full, lies, solid }: Node, worlds: ReadonlyArray<World>, clock: { readonly next: () => number }) => {
  let asked = 0
  const answer = (blocks: ReadonlyArray<Block>, method: string, body: object): unknown => {
    const manner = lies.length === 0 ? "honest" : lies[asked++ % lies.length]
    if (manner === "nothing") return {}
    if (method === "getblock") {
      const named = "id_or_num" in body ? Number(body.id_or_num) : blocks.length - 1
      const block = blocks[named]
      if (block === undefined) return {}
      return header(manner === "future" ? { ...block, time: block.time + 100_000 } : block, named)
    }
    const height = blocks.findIndex(({ holdsPayment }) => holdsPayment)
    if (height < 0 || method === "gettransactionfrompending") return {}
    return method === "gettransactioninfobyid"
      ? { id: ID, blockNumber: height, fee: 1 }
      : { txID: ID, raw_data_hex: "" }
  }
  const part = (behind: number, isSolid: boolean): TronNode["wallet"] => (method, body) =>
    Effect.sync(() => {
      const world = worlds[Math.max(0, clock.next() - behind)] ?? { blocks: [genesis], solid: 0 }
      return answer(isSolid ? world.blocks.slice(0, world.solid + 1) : world.blocks, method, body)
    })
  return {
    jsonRpc: () => Effect.succeed([`0x${chain.id.toString(16)}`]),
    wallet: part(full, false),
    solidity: part(solid, true)
  } satisfies TronNode
}

const clockOf = (from: number, steps: ReadonlyArray<number>, last: number) => {
  let [at, nth] = [Math.min(from, last), 0]
  return {
    get now() {
      return at
    },
    next: () => {
      at = Math.min(last, at + (steps[nth++ % steps.length] ?? 0))
      return at
    }
  }
}

const hosts = ["one", "two", "three"] as const
const quorum = Result.getOrThrow(makeEndpointQuorum(hosts, 2))

/** What the quorum makes of one reading of each node. Undefined when it agrees on nothing. */
const readBy = async (
  nodes: ReadonlyArray<Node>,
  worlds: ReadonlyArray<World>,
  clock: ReturnType<typeof clockOf>
): Promise<PaymentOutcome["_tag"] | undefined> => {
  const answers: Array<EndpointAnswer<PaymentOutcome>> = []
  for (const [at, node] of nodes.entries()) {
    const read = await Effect.runPromise(
      Effect.result(readOutcome(chain, [payment])(nodeOf(node, worlds, clock), 1_000))
    )
    const host = hosts[at] ?? "one"
    answers.push(
      Result.isSuccess(read) ? { _tag: "Answer", host, evidence: read.success } : { _tag: "Failed", host }
    )
  }
  const agreed = agreeOnReading(quorum, outcomeRule, answers, 0)
  return agreed === undefined || Result.isFailure(agreed) ? undefined : agreed.success.answer._tag
}

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constant("Block" as const),
      slots: fc.integer({ min: 1, max: 3 }),
      wants: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({ _tag: fc.constant("Fork" as const), depth: fc.integer({ min: 1, max: 5 }) })
  },
  {
    weight: 3,
    arbitrary: fc.record({ _tag: fc.constant("Solidify" as const), blocks: fc.integer({ min: 1, max: 8 }) })
  }
)

/** Either part may be the one that is behind. */
const behind = fc.oneof(fc.constant(0), fc.nat(12))

const honest = fc.record({
  full: behind,
  solid: behind,
  lies: fc.constant<ReadonlyArray<Manner>>([])
})
const liar = fc.record({
  full: behind,
  solid: behind,
  lies: fc.array(fc.constantFrom<Manner>("honest", "nothing", "future"), { minLength: 1, maxLength: 8 })
})

describe("a payment on Tron that counts as dead", () => {
  it("is in no block, and in none that can still come", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 5, maxLength: 24 }),
        fc.tuple(honest, honest, liar),
        fc.integer({ min: 3, max: 24 }),
        fc.array(fc.nat(2), { minLength: 1, maxLength: 12 }),
        async (events, nodes, from, steps) => {
          const worlds = historyOf(events)
          const clock = clockOf(from, steps, worlds.length - 1)
          if (await readBy(nodes, worlds, clock) !== "Expired") return
          const { blocks, solid } = worlds[clock.now] ?? assert.fail("no state")
          // Whatever is replaced now, what is solidified stays.
          for (let height = solid; height < blocks.length; height += 1) {
            const left = { blocks: blocks.slice(0, height + 1), solid }
            assert.isFalse(left.blocks.some(({ holdsPayment }) => holdsPayment), "a block has it")
            assert.isFalse(mayHold(left), "a block may still hold it")
          }
        }
      ),
      { numRuns: inputs(2_000, 200_000) }
    )
  })

  const blocks = (count: number): ReadonlyArray<Event> =>
    Array.from({ length: count }, () => ({ _tag: "Block", slots: 1, wants: false }))
  const honestNode: Node = { full: 0, solid: 0, lies: [] }
  const liarWho = (lies: ReadonlyArray<Manner>): Node => ({ full: 0, solid: 0, lies })
  const readAtEnd = (events: ReadonlyArray<Event>, third: Node = honestNode) => {
    const worlds = historyOf(events)
    return readBy([honestNode, honestNode, third], worlds, clockOf(worlds.length, [0], worlds.length - 1))
  }

  it("is one once the solidified chain has passed its expiration, whatever one endpoint says, and not before", async () => {
    for (const lies of [[], ["nothing"], ["future"]] satisfies ReadonlyArray<ReadonlyArray<Manner>>) {
      // The expiration is at the third block.
      assert.strictEqual(
        await readAtEnd([...blocks(3), { _tag: "Solidify", blocks: 3 }], liarWho(lies)),
        "Expired",
        lies.join()
      )
      assert.strictEqual(
        await readAtEnd([...blocks(30), { _tag: "Solidify", blocks: 2 }], liarWho(lies)),
        "Unseen",
        lies.join()
      )
    }
  })

  it("is not one that a block has which is solidified, also where a node's other part does not show it yet", async () => {
    const held: ReadonlyArray<Event> = [{ _tag: "Block", slots: 1, wants: true }, ...blocks(15), {
      _tag: "Solidify",
      blocks: 15
    }]
    assert.strictEqual(await readAtEnd(held), "Included")
    const apart: Node = { full: held.length, solid: 0, lies: [] }
    const worlds = historyOf(held)
    const clock = clockOf(worlds.length, [0], worlds.length - 1)
    assert.isUndefined(await readBy([apart, apart, apart], worlds, clock))
  })
})
