import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { setTimeout } from "node:timers/promises"
import { parseEther } from "viem"
import type { Hex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, reader, sendDeposit, status } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { lyingNode } from "../../testing/LyingNode.ts"
import type { Answer, Call, Fault, LyingNode } from "../../testing/LyingNode.ts"
import {
  alarms,
  assertDelivered,
  assertFilledOnce,
  closed,
  counter,
  eventually,
  paymentsOf,
  runMisbehaving
} from "../../testing/Misbehaving.ts"
import { quoteNative } from "../../testing/Fixture.ts"

class Running extends fixtureOf<Running>()("test/EndpointsRunning", runMisbehaving) {}

const ask = (url: string, index: number, recipient: Hex) =>
  Effect.flatMap(Running, (running) => quoteNative({ ...running, url }, index, parseEther("0.05"), { recipient }))

const assertPaidOnce = Effect.fnUntraced(function*(url: string, quoted: QuoteAnswer, recipient: Hex) {
  const { chains } = yield* Running
  assert.strictEqual((yield* ended(url, quoted)).status, "success")
  yield* assertDelivered(chains, quoted, recipient)
  yield* assertFilledOnce(chains, quoted)
})

/** Both nodes, the only ones, misbehave from the deposit to the end. */
const throughout = (index: number, recipient: Hex, misbehave: (node: LyingNode) => void) =>
  Effect.gen(function*() {
    const { alphaNode, betaNode, chains: { alpha }, key, url } = yield* Running
    const filled = yield* closed(url, "filled")
    const quoted = yield* ask(url, index, recipient)
    for (const node of [alphaNode, betaNode]) misbehave(node)
    yield* sendDeposit(alpha, key(index), quoted)
    yield* assertPaidOnce(url, quoted, recipient)
    yield* eventually("the deposit is closed as filled", closed(url, "filled"), (count) => count > filled)
  }).pipe(Effect.ensuring(Effect.map(Running, ({ alphaNode, betaNode }) =>
    [alphaNode, betaNode].forEach((node) => node.tellTheTruth()))))

/** Every request fails for a second, then one in six by a fixed sequence. */
const often = (fault: Fault) => (node: LyingNode): void => {
  const since = performance.now()
  node.fail((request) => {
    const drawn = (Math.imul(request, 2_654_435_761) >>> 0) / 2 ** 32
    return performance.now() - since < 1_000 || drawn < 1 / 6 ? fault : undefined
  })
}

/** A stale node: it knows no block after `height`, and nothing that such a block holds. */
const staleAt = (node: LyingNode, height: bigint) => {
  const isLater = (quantity: unknown) =>
    typeof quantity === "string" && /^0x[0-9a-f]+$/.test(quantity) && BigInt(quantity) > height
  const held = (answer: Answer): Answer => {
    const { result } = answer
    const isBeyond = typeof result === "object" && result !== null && "blockNumber" in result &&
      isLater(result.blockNumber)
    return isBeyond ? { result: null } : answer
  }
  const at = `0x${height.toString(16)}`
  const inThePast = ({ method, params = [] }: Call): ReadonlyArray<unknown> =>
    params.map((each) =>
      each === "latest" || each === "pending" || (method === "eth_getTransactionCount" && each === "latest") ? at : each
    )
  node.lie(async (call, truth) => {
    if (call.method === "eth_getBlockByNumber" && isLater(call.params?.[0])) return { result: null }
    if (call.method === "eth_blockNumber") return { result: at }
    if (call.method === "eth_getLogs") return { result: [] }
    const shown = inThePast(call)
    if (shown.every((each, index) => each === call.params?.[index])) return held(await truth())
    return held(await node.ask({ ...call, params: shown }))
  })
}

layer(Running.layer, { excludeTestServices: true })("the only node of a chain", (it) => {
  it.effect("is slow: every answer takes a third of a second, and the transfer is paid once", () =>
    throughout(0, "0x000000000000000000000000000000000000ed01", (node) =>
      node.lie(async (_call, truth) => {
        await setTimeout(300)
        return truth()
      })))

  it.effect("drops connections, first all and then some: the transfer is paid once, and no missing answer counts as one", () =>
    Effect.gen(function*() {
      yield* throughout(1, "0x000000000000000000000000000000000000ed02", often("dropped"))
      const { url } = yield* Running
      assert.isAbove(yield* counter(url, "retries_total", "heads of alpha"), 0)
      assert.strictEqual(yield* closed(url, "gone"), 0)
    }))

  it.effect("answers with 429, first always and then sometimes: the transfer is paid once", () =>
    throughout(2, "0x000000000000000000000000000000000000ed03", often(429)))

  it.effect("is stale: the deposit is neither seen nor lost, and is filled once when the node has caught up", () =>
    Effect.gen(function*() {
      const { alphaNode, chains: { alpha }, key, url } = yield* Running
      const recipient = "0x000000000000000000000000000000000000ed04"
      const quoted = yield* ask(url, 3, recipient)
      staleAt(alphaNode, yield* alpha.height)
      yield* sendDeposit(alpha, key(3), quoted)
      const looks = alphaNode.calls("eth_getBlockByNumber")
      yield* eventually(
        "it has been looked at",
        Effect.sync(() => alphaNode.calls("eth_getBlockByNumber") - looks),
        (count) => count >= 12
      )
      assert.strictEqual((yield* status(url, quoted)).status, "waiting")
      alphaNode.tellTheTruth()
      yield* assertPaidOnce(url, quoted, recipient)
    }))
})

layer(Running.layer, { excludeTestServices: true })("a node that forgets", (it) => {
  it.effect("our fill, receipt and transaction, although a final block contains it: nothing is signed again, and it is closed when the node has it again", () =>
    Effect.gen(function*() {
      const { betaNode, chains: { alpha, beta, solver }, host, key, url } = yield* Running
      const recipient = "0x000000000000000000000000000000000000ed05"
      const [filled, lost] = [yield* closed(url, "filled"), yield* alarms(url, "sequence-used-by-another")]
      const quoted = yield* ask(url, 4, recipient)
      let forgotten = 0
      betaNode.lie(async ({ method }, truth) => {
        if (method !== "eth_getTransactionReceipt" && method !== "eth_getTransactionByHash") return truth()
        forgotten += 1
        return { result: null }
      })
      yield* sendDeposit(alpha, key(4), quoted)
      yield* eventually("the fill is in a block", paymentsOf(beta, solver, quoted), (all) => all.length === 1)
      const height = yield* beta.height
      yield* eventually("and final", beta.height, (now) => now > height + 3n)
      const before = forgotten
      yield* eventually(
        "the node has been asked for it again",
        Effect.sync(() => forgotten - before),
        (count) => count >= 4
      )
      assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 1)
      assert.notInclude(["success", "refund", "failure"], (yield* status(url, quoted)).status)
      assert.strictEqual(yield* alarms(url, "sequence-used-by-another"), lost)
      betaNode.tellTheTruth()
      yield* assertPaidOnce(url, quoted, recipient)
      yield* eventually("the deposit is closed as filled", closed(url, "filled"), (count) => count === filled + 1)
      assert.notInclude(host.output(), "lost its sequence")
    }))

  it.effect("nothing, but is stale and answers for one that is down: a filled deposit does not count as gone, and no payment is made again", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta, solver }, host, key, startInstance } = yield* Running
      yield* host.stop
      const [alphaFirst, alphaSecond] = [yield* lyingNode(alpha.url), yield* lyingNode(alpha.url)]
      const [betaFirst, betaSecond] = [yield* lyingNode(beta.url), yield* lyingNode(beta.url)]
      staleAt(alphaSecond, yield* alpha.height)
      staleAt(betaSecond, yield* beta.height)
      const { url } = yield* startInstance({
        ALPHA_RPC_URL: `${alphaFirst.url},${alphaSecond.url}`,
        BETA_RPC_URL: `${betaFirst.url},${betaSecond.url}`
      })
      const recipient = "0x000000000000000000000000000000000000ed06"
      const quoted = yield* ask(url, 5, recipient)
      yield* sendDeposit(alpha, key(5), quoted)
      yield* eventually("the fill is in a block", paymentsOf(beta, solver, quoted), (all) => all.length === 1)
      // From here on only the stale nodes answer.
      for (const node of [alphaFirst, betaFirst]) node.fail(() => "dropped")
      const looks = alphaSecond.calls() + betaSecond.calls()
      yield* eventually(
        "the stale ones have been asked",
        Effect.sync(() => alphaSecond.calls() + betaSecond.calls() - looks),
        (count) => count >= 60
      )
      const { nonce } = { nonce: yield* Effect.promise(() => reader(beta).getTransactionCount({ address: solver })) }
      for (const node of [alphaFirst, betaFirst, alphaSecond, betaSecond]) node.tellTheTruth()
      yield* assertPaidOnce(url, quoted, recipient)
      assert.strictEqual(yield* closed(url, "gone"), 0)
      assert.strictEqual(yield* alarms(url, "chain-halted"), 0)
      assert.strictEqual(yield* Effect.promise(() => reader(beta).getTransactionCount({ address: solver })), nonce)
    })))
})
