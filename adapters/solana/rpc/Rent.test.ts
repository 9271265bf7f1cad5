import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { solana, solanaPayer, solanaUser } from "../../../src/domain/quote/testing/Chains.ts"
import { startFakeNode } from "../../endpoints/testing/FakeNode.ts"
import type { Behaviour } from "../../endpoints/testing/FakeNode.ts"
import { fakeClient, Refusal, rentAt } from "../pay/testing/FakeClient.ts"
import { leastBalance, rentOf } from "./Rent.ts"
import * as SolanaRpc from "./SolanaRpc.ts"

/** A node, what it was asked, and the price that it names next. */
const nodeAt = (lamportsAByte: number) => {
  const asked: Array<number> = []
  const node = { lamportsAByte, answer: undefined as unknown, isDown: false }
  const client = fakeClient({
    getMinimumBalanceForRentExemption: ([bytes]) => {
      asked.push(Number(bytes))
      if (node.isDown) throw new Refusal(-32_005)
      return node.answer ?? rentAt(Number(bytes), node.lamportsAByte)
    }
  })
  return { asked, client, node }
}

const isRefused = (reading: Promise<bigint>) => reading.then(() => false, () => true)

describe("the rent of a Solana chain (SOLANA-24)", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("is the chain's, by the size of the account, and is asked for once a minute", async () => {
    const { asked, client, node } = nodeAt(5_080)
    const both = () => Promise.all([leastBalance(client), rentOf(client, 165), rentOf(client, 165)])
    assert.deepStrictEqual(await both(), [650_240n, 1_488_440n, 1_488_440n])
    node.lamportsAByte = 696
    vi.setSystemTime(1_059_999)
    assert.deepStrictEqual(await both(), [650_240n, 1_488_440n, 1_488_440n])
    assert.deepStrictEqual(asked, [0, 165])
    vi.setSystemTime(1_060_000)
    assert.deepStrictEqual(await both(), [89_088n, 203_928n, 203_928n])
    assert.deepStrictEqual(asked, [0, 165, 0, 165])
    // A clock that was set back keeps nothing longer.
    vi.setSystemTime(1)
    await both()
    assert.deepStrictEqual(asked, [0, 165, 0, 165, 0, 165])
  })

  it("is kept for each node: what one of them says is nobody else's answer", async () => {
    const [high, low] = [nodeAt(6_960), nodeAt(696)]
    assert.strictEqual(await leastBalance(high.client), 890_880n)
    assert.strictEqual(await leastBalance(low.client), 89_088n)
  })

  it("is asked for again at once after a failure, and may rise again", async () => {
    const { client, node } = nodeAt(696)
    node.isDown = true
    assert.isTrue(await isRefused(rentOf(client, 165)))
    node.isDown = false
    assert.strictEqual(await rentOf(client, 165), 203_928n)
    node.lamportsAByte = 13_920
    vi.setSystemTime(1_060_000)
    assert.strictEqual(await rentOf(client, 165), 4_078_560n)
  })

  it("is refused when it is less than a tenth of what clusters began with, or more than twice that, and not kept", async () => {
    const { client, node } = nodeAt(5_080)
    for (const answer of [0, -1, 1, 203_927, 4_078_561n, 1n << 63n]) {
      node.answer = answer
      assert.isTrue(await isRefused(rentOf(client, 165)), `${answer}`)
    }
    node.answer = 203_928
    assert.strictEqual(await rentOf(client, 165), 203_928n)
  })
})

const chain = { ...solana, genesisHash: solanaUser }
const METHOD = "getMinimumBalanceForRentExemption"

/** A token account's rent at the first step down, and the least that is believed. */
const [HONEST, LEAST] = [1_488_440, 203_928]

const saying = (rent: number, genesis: string = solanaUser): Behaviour => ({
  _tag: "Answers",
  results: { getGenesisHash: genesis, [METHOD]: rent }
})

const AWAY: Behaviour = { _tag: "Refuses", message: "away" }

/** What a token account must hold, as a reading by the service's rotation over such nodes takes it. */
const rentBy = Effect.fnUntraced(function*(...behaviours: ReadonlyArray<Behaviour>) {
  const nodes = yield* Effect.forEach(behaviours, startFakeNode)
  const urls = new Map([[chain.id, nodes.map(({ port }) => Redacted.make(`http://127.0.0.1:${port}/`))]])
  const rpc = yield* Layer.build(Layer.provide(SolanaRpc.layer, Layer.succeed(SolanaRpc.SolanaEndpoints, { urls })))
  const reading = SolanaRpc.SolanaRpc.pipe(
    Effect.flatMap(({ call }) => call(chain, "a reading", (client) => rentOf(client, 165))),
    Effect.provide(rpc)
  )
  return { nodes, reading, rents: () => nodes.map(({ asked }) => asked.filter((method) => method === METHOD).length) }
})

describe("the rent of a Solana chain with several hosts (SOLANA-24)", () => {
  it.live("is the greatest of as many answers as its quorum needs, whichever endpoint is preferred", () =>
    Effect.scoped(Effect.gen(function*() {
      for (
        const hosts of [
          [saying(LEAST), saying(HONEST), saying(HONEST)],
          [saying(1), saying(HONEST), saying(HONEST)],
          [saying(HONEST), saying(LEAST), saying(HONEST)],
          [saying(LEAST), AWAY, saying(HONEST)],
          [saying(LEAST), saying(HONEST), AWAY],
          [AWAY, saying(HONEST), saying(LEAST)],
          [saying(LEAST), saying(HONEST), saying(HONEST, solanaPayer)]
        ]
      ) {
        const { reading } = yield* rentBy(...hosts)
        assert.strictEqual(yield* reading, BigInt(HONEST))
      }
    })))

  it.live("is asked of each once a minute, and unknown while fewer answer", () =>
    Effect.scoped(Effect.gen(function*() {
      const { nodes, reading, rents } = yield* rentBy(saying(HONEST), saying(HONEST), saying(HONEST))
      for (const _ of [1, 2, 3]) yield* reading
      assert.isTrue(rents().every((asked) => asked <= 1), JSON.stringify(rents()))
      assert.strictEqual(nodes.length, 3)
      const few = yield* rentBy(saying(LEAST), AWAY, AWAY)
      assert.strictEqual((yield* Effect.flip(few.reading)).kind, "refused")
      // It is asked again at once.
      for (const node of few.nodes.slice(1)) node.behaves = saying(HONEST)
      assert.strictEqual(yield* few.reading, BigInt(HONEST))
    })))

  it.live("is the preferred one's where a single host decides, within bounds", () =>
    Effect.scoped(Effect.gen(function*() {
      assert.strictEqual(yield* (yield* rentBy(saying(LEAST), saying(HONEST))).reading, BigInt(LEAST))
      assert.strictEqual(yield* (yield* rentBy(saying(1), saying(HONEST))).reading, BigInt(HONEST))
    })))
})
