/**
 * Reorgs of every depth up to finality, under deposits and under our payments: one suite, for chains of any finality.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { keccak256, parseEther } from "viem"
import type { Hex } from "viem"
import type { Anvil } from "../../../../localnet/nodes/ethereum/Anvil.ts"
import { tally } from "../../../../../scripts/testing/Tally.ts"
import { ended, status } from "../../../testing/Client.ts"
import type { QuoteAnswer } from "../../../testing/Client.ts"
import { pooled } from "../../../testing/FeePressure.ts"
import type { LyingNode } from "../../../testing/LyingNode.ts"
import {
  alarms,
  assertDelivered,
  assertFilledOnce,
  balanceOf,
  closed,
  eventually,
  holdMining,
  paymentsOf,
  resumeMining,
  startMisbehaving
} from "../../../testing/Misbehaving.ts"
import { sendRaw, signDeposit } from "../../../testing/SignedDeposit.ts"
import { quoteNative, startFixture } from "../../../testing/Fixture.ts"

/** The number of blocks on top of a final block on a local chain. */
const LOCAL_FINALITY = 2

/** Far below the value of `large`, far above that of `small`. */
const environment = { UNFINAL_EXPOSURE_USER_USD: "20" }
const small = parseEther("0.001")
const large = parseEther("0.1")

/** A node that reports finality later than its chain does. */
const finaliseAfter = (node: LyingNode, anvil: Anvil, blocks: number) => {
  if (blocks === LOCAL_FINALITY) return
  node.lie(async ({ method, params }, truth) => {
    if (method !== "eth_getBlockByNumber" || params?.[0] !== "finalized") return truth()
    const height = await Effect.runPromise(anvil.height)
    const deep = height > BigInt(blocks) ? height - BigInt(blocks) : 0n
    return { result: await Effect.runPromise(anvil.request("eth_getBlockByNumber", [`0x${deep.toString(16)}`, false])) }
  })
}

const makeRunning = (finality: number) =>
  Effect.gen(function*() {
    const network = yield* startMisbehaving
    finaliseAfter(network.alphaNode, network.chains.alpha, finality)
    finaliseAfter(network.betaNode, network.chains.beta, finality)
    return { ...(yield* startFixture(Effect.succeed(network), { settings: environment })), finality }
  })

class Running
  extends Context.Service<Running, Effect.Success<ReturnType<typeof makeRunning>>>()("test/DepthsRunning")
{}

const ask = (index: number, amount: bigint, changes: object) =>
  Effect.flatMap(Running, (running) => quoteNative(running, index, amount, changes))

/** Mined by hand while it runs, automatically afterwards. */
const byHand = <A, E, R>(chain: "alpha" | "beta", run: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Running,
    ({ chains }) =>
      Effect.andThen(holdMining(chains[chain]), run).pipe(Effect.ensuring(Effect.orDie(resumeMining(chains[chain]))))
  )

const assertPaidOnce = Effect.fnUntraced(function*(quoted: QuoteAnswer, recipient: Hex, refundTo: Hex) {
  const { chains } = yield* Running
  yield* assertDelivered(chains, quoted, recipient)
  yield* assertFilledOnce(chains, quoted)
  assert.strictEqual(yield* balanceOf(chains.alpha, refundTo), 0n)
})

const fresh = (kind: number, depth: number): Hex =>
  `0x${(0xde000000 + kind * 0x1000 + depth).toString(16).padStart(40, "0")}`

/** The deposit in its own block with `depth` − 1 blocks on top, seen by the host in this state. */
const depositAt = Effect.fnUntraced(
  function*(index: number, quoted: QuoteAnswer, depth: number, seen: (state: string) => boolean) {
    const { chains: { alpha }, key, url } = yield* Running
    const raw = yield* signDeposit(alpha, key(index), quoted)
    yield* sendRaw(alpha, raw)
    yield* alpha.mine()
    yield* eventually("the deposit is seen", status(url, quoted), (answer) => seen(answer.status))
    if (depth > 1) yield* alpha.mine(depth - 1)
    return raw
  }
)

const undo = (anvil: Anvil, depth: number) =>
  Effect.andThen(Effect.sync(() => tally("reorganisations", 1)), anvil.reorg(depth))

const vanishes = (depth: number) =>
  byHand(
    "alpha",
    Effect.gen(function*() {
      const { chains: { alpha, beta, solver }, url } = yield* Running
      const [recipient, refundTo] = [fresh(1, depth), fresh(2, depth)]
      const [gone, filled] = [yield* closed(url, "gone"), yield* closed(url, "filled")]
      const quoted = yield* ask(0, large, { recipient, refundTo })
      const raw = yield* depositAt(0, quoted, depth, (state) => state === "depositing")
      yield* undo(alpha, depth)
      yield* eventually("the deposit is closed as gone", closed(url, "gone"), (count) => count === gone + 1)
      yield* eventually("the request waits again", status(url, quoted), (answer) => answer.status === "waiting")
      assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 0)
      // It is mined after all, in a block of the new chain.
      yield* sendRaw(alpha, raw)
      yield* alpha.mine(1)
      yield* resumeMining(alpha)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* eventually("the deposit is closed as filled", closed(url, "filled"), (count) => count === filled + 1)
      yield* assertPaidOnce(quoted, recipient, refundTo)
    })
  )

const moves = (depth: number) =>
  byHand(
    "alpha",
    Effect.gen(function*() {
      const { chains: { alpha }, url } = yield* Running
      const [recipient, refundTo] = [fresh(3, depth), fresh(4, depth)]
      const filled = yield* closed(url, "filled")
      const quoted = yield* ask(1, small, { recipient, refundTo })
      const raw = yield* depositAt(1, quoted, depth, (state) => state === "success")
      yield* undo(alpha, depth)
      yield* sendRaw(alpha, raw)
      yield* alpha.mine(1)
      yield* resumeMining(alpha)
      yield* eventually("the deposit is closed as filled", closed(url, "filled"), (count) => count > filled)
      yield* assertPaidOnce(quoted, recipient, refundTo)
      assert.strictEqual((yield* status(url, quoted)).status, "success")
    })
  )

const filledThenGone = (depth: number) =>
  byHand(
    "alpha",
    Effect.gen(function*() {
      const { chains: { alpha, beta }, finality, host: { output }, url } = yield* Running
      const [recipient, refundTo] = [fresh(5, depth), fresh(6, depth)]
      const before = yield* alarms(url, "filled-deposit-gone")
      const quoted = yield* ask(2, small, { recipient, refundTo })
      const raw = yield* depositAt(2, quoted, depth, (state) => state === "success")
      yield* undo(alpha, depth)
      yield* resumeMining(alpha)
      // The fill is guarded first, then its deposit.
      yield* beta.mine(finality)
      yield* eventually("the alarm", alarms(url, "filled-deposit-gone"), (count) => count === before + 1)
      assert.include(output(), `no longer on the chain (${keccak256(raw)})`)
      yield* assertPaidOnce(quoted, recipient, refundTo)
      assert.strictEqual((yield* status(url, quoted)).status, "success")
    })
  )

/** Our payment is in a block with `depth` − 1 blocks on top, is removed by a reorg, and returns with the same bytes. */
const undoPayment = Effect.fnUntraced(
  function*(anvil: Anvil, quoted: QuoteAnswer, depth: number, outcome: "success" | "refund") {
    const { chains: { solver }, url } = yield* Running
    yield* eventually("the payment is in the pool", pooled(anvil, solver), (waiting) => waiting.length === 1)
    const [first] = yield* pooled(anvil, solver)
    yield* anvil.mine()
    assert.strictEqual((yield* ended(url, quoted)).status, outcome)
    if (depth > 1) yield* anvil.mine(depth - 1)
    yield* undo(anvil, depth)
    yield* eventually(
      "the payment is in the pool again",
      pooled(anvil, solver),
      (waiting) => waiting.map(({ hash }) => hash).join() === first?.hash
    )
    yield* anvil.mine()
    const paid = yield* paymentsOf(anvil, solver, quoted)
    assert.deepStrictEqual(
      paid.map(({ hash }) => hash),
      [first?.hash]
    )
    return paid[0]?.value
  }
)

const fillUndone = (depth: number) =>
  byHand(
    "beta",
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      const [recipient, refundTo] = [fresh(7, depth), fresh(8, depth)]
      const filled = yield* closed(url, "filled")
      const quoted = yield* ask(3, small, { recipient, refundTo })
      yield* sendRaw(alpha, yield* signDeposit(alpha, key(3), quoted))
      yield* undoPayment(beta, quoted, depth, "success")
      yield* resumeMining(beta)
      yield* eventually("the deposit is closed as filled", closed(url, "filled"), (count) => count > filled)
      yield* assertPaidOnce(quoted, recipient, refundTo)
    })
  )

const refundUndone = (depth: number) =>
  byHand(
    "alpha",
    Effect.gen(function*() {
      const { chains: { alpha, beta, solver }, url } = yield* Running
      const [recipient, refundTo] = [fresh(9, depth), fresh(10, depth)]
      const refunded = yield* closed(url, "refunded")
      const quoted = yield* ask(4, small, { recipient, refundTo, refundOnOrigin: true, referrer: "force-refund" })
      yield* depositAt(4, quoted, 1, (state) => state !== "waiting")
      const value = yield* undoPayment(alpha, quoted, depth, "refund")
      yield* resumeMining(alpha)
      yield* eventually("the deposit is closed as refunded", closed(url, "refunded"), (count) => count === refunded + 1)
      assert.strictEqual(yield* balanceOf(alpha, refundTo), value)
      assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 0)
    })
  )

/**
 * `finality`: how many blocks make one final. A reorg of that depth removes no final block. A deeper one halts the
 * chain.
 */
export const reorganisationSuite = (finality: number): void => {
  const depths = Array.from({ length: finality }, (_, index) => index + 1)
  layer(Layer.effect(Running, Effect.suspend(() => makeRunning(finality))), {
    timeout: 60_000,
    excludeTestServices: true
  })("a reorganisation", (it) => {
    for (const depth of depths) {
      it.effect(`of depth ${depth} takes a deposit that is not confirmed: the request waits again, and it is filled once when it comes back`, () =>
        vanishes(depth))
      it.effect(`of depth ${depth} moves a filled deposit: it is filled once and never refunded`, () => moves(depth))
      it.effect(`of depth ${depth} takes a filled deposit: an alarm says so and nothing more is paid`, () =>
        filledThenGone(depth))
      it.effect(`of depth ${depth} takes a fill: the same bytes are broadcast again and paid once`, () =>
        fillUndone(depth))
      it.effect(`of depth ${depth} takes a refund: the same bytes are broadcast again and paid once`, () =>
        refundUndone(depth))
    }
    it.effect("that takes nothing final halts nothing", () =>
      Effect.flatMap(
        Running,
        ({ url }) => Effect.map(alarms(url, "chain-halted"), (count) => assert.strictEqual(count, 0))
      ))
  })
}
