import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { fakeClient, Refusal, rentAt } from "../pay/testing/FakeClient.ts"
import { leastBalance, rentOf } from "./Rent.ts"

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

  it("is refused when it is nothing, or more than twice what clusters began with, and not kept", async () => {
    const { client, node } = nodeAt(5_080)
    for (const answer of [0, -1, 4_078_561n, 1n << 63n]) {
      node.answer = answer
      assert.isTrue(await isRefused(rentOf(client, 165)), `${answer}`)
    }
    node.answer = 1
    assert.strictEqual(await rentOf(client, 165), 1n)
  })
})
