import { assert, layer } from "@effect/vitest"
import { Effect, Semaphore } from "effect"
import { keccak256, parseEther, parseTransaction } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Anvil } from "../../../localnet/nodes/ethereum/Anvil.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, nativeRequest, quote, sendDeposit, status } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { mineAt, pooled, priceOut } from "../../testing/FeePressure.ts"
import type { LyingNode } from "../../testing/LyingNode.ts"
import {
  alarms,
  assertDelivered,
  balanceOf,
  counter,
  eventually,
  holdMining,
  paymentsOf,
  resumeMining,
  runMisbehaving
} from "../../testing/Misbehaving.ts"
import { sendRaw, signDeposit } from "../../testing/SignedDeposit.ts"
import { quoteNative } from "../../testing/Fixture.ts"

class Running extends fixtureOf<Running>()("test/FeesRunning", runMisbehaving) {}

const ask = (index: number, changes: object) =>
  Effect.flatMap(Running, (running) => quoteNative(running, index, parseEther("0.05"), changes))

const heldHex = (value: unknown): Hex =>
  typeof value === "string" && value.startsWith("0x") ? `0x${value.slice(2)}` : "0x"

/** Held while the test looks and mines: a replacement that came between would be in the block that should force it. */
const mining = Semaphore.makeUnsafe(1)

const betweenBlocks = <A>(send: () => Promise<A>) => Effect.runPromise(mining.withPermits(1)(Effect.promise(send)))

/**
 * Records the transactions broadcast through a node. When `swallows` is true for the next one, the node says that it
 * was sent, but drops it.
 */
const recordBroadcasts = (node: LyingNode, swallows: (index: number) => boolean = () => false) => {
  const raws: Array<Hex> = []
  node.lie(async ({ method, params }, truth) => {
    const raw = heldHex(params?.[0])
    if (method !== "eth_sendRawTransaction") return truth()
    if (!raws.includes(raw)) raws.push(raw)
    return swallows(raws.indexOf(raw)) ? { result: keccak256(raw) } : betweenBlocks(truth)
  })
  return raws
}

/**
 * Waits until the solver has a pending transaction, then raises the base fee until it is replaced. Returns the raw
 * transactions of both.
 */
const untilReplaced = Effect.fnUntraced(function*(anvil: Anvil, solver: Hex, raws: ReadonlyArray<Hex>) {
  yield* eventually("a payment is in the pool", pooled(anvil, solver), (waiting) => waiting.length === 1)
  const [first] = raws
  assert(first !== undefined)
  const { maxFeePerGas = 0n } = parseTransaction(first)
  yield* priceOut(anvil, maxFeePerGas, Effect.sync(() => raws.length > 1), mining)
  const second = raws[1]
  assert(second !== undefined)
  return { first, second, offered: maxFeePerGas }
})

/** Mines this transaction in a cheap block: anvil drops from its pool what an expensive block could not take. */
const mineCheaply = Effect.fnUntraced(function*(anvil: Anvil, raw: Hex) {
  yield* anvil.request("anvil_setNextBlockBaseFeePerGas", ["0x3e8"])
  yield* Effect.ignore(sendRaw(anvil, raw))
  yield* anvil.mine()
})

/** The two differ only in their fees, and both fees by at least an eighth. */
const assertReplaces = (first: Hex, second: Hex) => {
  const [old, next] = [parseTransaction(first), parseTransaction(second)]
  const rest = ({ chainId, data, gas, nonce, to, value }: typeof old) => ({ chainId, data, gas, nonce, to, value })
  assert.deepStrictEqual(rest(next), rest(old))
  assert.isTrue((next.maxFeePerGas ?? 0n) * 8n > (old.maxFeePerGas ?? 0n) * 9n)
  assert.isTrue((next.maxPriorityFeePerGas ?? 0n) * 8n > (old.maxPriorityFeePerGas ?? 0n) * 9n)
}

/** Asserts that this one transaction paid the exact amount, and that the status names it. */
const assertPaidBy = Effect.fnUntraced(function*(quoted: QuoteAnswer, recipient: Hex, raw: Hex) {
  const { chains: { alpha, beta, solver }, url } = yield* Running
  const end = yield* ended(url, quoted)
  assert.deepStrictEqual([end.status, end.txHashes], ["success", [keccak256(raw)]])
  yield* assertDelivered({ beta }, quoted, recipient)
  assert.deepStrictEqual((yield* paymentsOf(beta, solver, quoted)).map(({ hash }) => hash), [keccak256(raw)])
  assert.lengthOf(yield* paymentsOf(alpha, solver, quoted), 0)
})

/** A fill on a chain that the test mines. Afterwards the chain is honest and mines again. */
const filling = <A, E, R>(
  index: number,
  recipient: Hex,
  swallows: (index: number) => boolean,
  run: (quoted: QuoteAnswer, raws: ReadonlyArray<Hex>) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const { betaNode, chains: { alpha, beta }, key } = yield* Running
    const quoted = yield* ask(index, { recipient })
    const raws = recordBroadcasts(betaNode, swallows)
    yield* holdMining(beta)
    yield* sendDeposit(alpha, key(index), quoted)
    yield* run(quoted, raws)
    betaNode.tellTheTruth()
  }).pipe(Effect.ensuring(Effect.flatMap(Running, ({ chains: { beta } }) => Effect.orDie(resumeMining(beta)))))

const honestly = () => false

layer(Running.layer, { excludeTestServices: true })("a payment that is not included in a block", (it) => {
  it.effect("because the base fee rises: it shows as delayed, is replaced under its nonce, and paid once", () =>
    filling(0, "0x000000000000000000000000000000000000fe01", honestly, (quoted, raws) =>
      Effect.gen(function*() {
        const { chains: { beta, solver }, host, url } = yield* Running
        const before = yield* counter(url, "replacements_total", "beta")
        const { first, offered, second } = yield* untilReplaced(beta, solver, raws)
        assertReplaces(first, second)
        assert.strictEqual((yield* status(url, quoted)).status, "delayed")
        yield* eventually("it counts", counter(url, "replacements_total", "beta"), (count) => count === before + 1)
        yield* eventually("the log says so", Effect.sync(host.output), (text) =>
          text.includes("is replaced at a higher fee"))
        yield* eventually("the pool holds the replacement alone", pooled(beta, solver), (waiting) =>
          waiting.map(({ hash }) =>
            hash
          ).join() === keccak256(second))
        yield* mineAt(beta, offered + 1n)
        yield* assertPaidBy(quoted, "0x000000000000000000000000000000000000fe01", second)
      })))

  it.effect("until its replacement was signed: its first variant is mined and is the payment, and nothing else is paid", () =>
    filling(
      1,
      "0x000000000000000000000000000000000000fe02",
      (index) => index > 0,
      (quoted, raws) =>
        Effect.gen(function*() {
          const { chains: { beta, solver } } = yield* Running
          const { first } = yield* untilReplaced(beta, solver, raws)
          // The node never received the replacement, and the base fee is low again.
          yield* mineCheaply(beta, first)
          yield* assertPaidBy(quoted, "0x000000000000000000000000000000000000fe02", first)
        })
    ))

  it.effect("and whose variants the node drops: the newest is broadcast again", () =>
    filling(2, "0x000000000000000000000000000000000000fe03", honestly, (quoted, raws) =>
      Effect.gen(function*() {
        const { chains: { beta, solver } } = yield* Running
        const { offered, second } = yield* untilReplaced(beta, solver, raws)
        yield* beta.request("anvil_dropAllTransactions")
        yield* eventually("it is in the pool again", pooled(beta, solver), (waiting) =>
          waiting.map(({ hash }) =>
            hash
          ).join() === keccak256(second))
        yield* mineAt(beta, offered + 1n)
        yield* assertPaidBy(quoted, "0x000000000000000000000000000000000000fe03", second)
      })))

  it.effect("and whose mined variant a reorg exchanges for the other: that one is the payment then", () =>
    filling(
      3,
      "0x000000000000000000000000000000000000fe04",
      (index) => index > 0,
      (quoted, raws) =>
        Effect.gen(function*() {
          const { betaNode, chains: { beta, solver }, url } = yield* Running
          const { first, second } = yield* untilReplaced(beta, solver, raws)
          const before = yield* beta.request("evm_snapshot")
          yield* mineCheaply(beta, first)
          assert.deepStrictEqual((yield* ended(url, quoted)).txHashes, [keccak256(first)])
          betaNode.hang()
          yield* beta.request("evm_revert", [before])
          yield* beta.request("anvil_dropAllTransactions")
          yield* beta.request("evm_increaseTime", [1])
          yield* mineCheaply(beta, second)
          yield* beta.mine(3)
          betaNode.tellTheTruth()
          yield* eventually(
            "the other form is shown",
            status(url, quoted),
            ({ txHashes }) => txHashes.join() === keccak256(second)
          )
          yield* assertPaidBy(quoted, "0x000000000000000000000000000000000000fe04", second)
        })
    ))

  it.effect("and whose nonce someone else uses after it was replaced: it is signed again once that is final, and paid once", () =>
    filling(4, "0x000000000000000000000000000000000000fe05", honestly, (quoted, raws) =>
      Effect.gen(function*() {
        const { chains: { beta, solver, solverKey }, url } = yield* Running
        const recipient = "0x000000000000000000000000000000000000fe05"
        const before = yield* alarms(url, "sequence-used-by-another")
        const { offered, second } = yield* untilReplaced(beta, solver, raws)
        const { nonce = 0 } = parseTransaction(second)
        const foreign = yield* Effect.promise(() =>
          privateKeyToAccount(solverKey).signTransaction({
            type: "eip1559",
            chainId: beta.chainId,
            nonce,
            gas: 60_000n,
            to: recipient,
            value: 1n,
            maxFeePerGas: offered * 50n,
            maxPriorityFeePerGas: offered * 49n
          })
        )
        yield* sendRaw(beta, foreign)
        yield* beta.mine(4)
        yield* resumeMining(beta)
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        yield* eventually("the alarm", alarms(url, "sequence-used-by-another"), (count) => count === before + 1)
        const fills = yield* paymentsOf(beta, solver, quoted)
        assert.deepStrictEqual(fills.map((fill) => fill.nonce), [nonce + 1])
        assert.strictEqual(yield* balanceOf(beta, recipient), BigInt(quoted.details.currencyOut.amount) + 1n)
      })))

  it.effect("and that the node refuses because the base fee rose before it was sent: it is replaced, never signed again", () =>
    Effect.gen(function*() {
      const { betaNode, chains: { alpha, beta, solver }, key, url } = yield* Running
      const recipient = "0x000000000000000000000000000000000000fe06"
      const quoted = yield* ask(5, { recipient })
      const raws: Array<Hex> = []
      yield* holdMining(beta)
      betaNode.lie(async ({ method, params }, truth) => {
        if (method !== "eth_sendRawTransaction") return truth()
        const raw = heldHex(params?.[0])
        if (!raws.includes(raw)) raws.push(raw)
        return raw === raws[0]
          ? { error: { code: -32_000, message: "transaction underpriced: gas tip cap 1, minimum needed 2" } }
          : betweenBlocks(truth)
      })
      yield* sendDeposit(alpha, key(5), quoted)
      yield* eventually("the fill is refused", Effect.sync(() => raws.length), (count) => count === 1)
      yield* eventually("the request is delayed", status(url, quoted), (seen) => seen.status === "delayed")
      const { maxFeePerGas = 0n } = parseTransaction(raws[0] ?? "0x")
      yield* priceOut(beta, maxFeePerGas, Effect.sync(() => raws.length > 1), mining)
      const [first = "0x", second = "0x"] = raws
      assertReplaces(first, second)
      yield* resumeMining(beta)
      betaNode.tellTheTruth()
      yield* assertPaidBy(quoted, recipient, second)
      assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 1)
    }))

  it.effect("and that the node drops although it claims to have it: it is replaced when blocks pass without it", () =>
    Effect.gen(function*() {
      const { betaNode, chains: { alpha, beta }, key, url } = yield* Running
      const recipient = "0x000000000000000000000000000000000000fe07"
      const quoted = yield* ask(6, { recipient })
      const raws = recordBroadcasts(betaNode, (index) => index === 0)
      yield* sendDeposit(alpha, key(6), quoted)
      yield* eventually("it is replaced", Effect.sync(() => raws.length), (count) => count === 2)
      yield* eventually(
        "the request is delayed or paid",
        status(url, quoted),
        (seen) => ["delayed", "success"].includes(seen.status)
      )
      const [first = "0x", second = "0x"] = raws
      assertReplaces(first, second)
      yield* assertPaidBy(quoted, recipient, second)
      yield* Effect.sync(betaNode.tellTheTruth)
      yield* assertDelivered({ beta }, quoted, recipient)
    }))

  it.effect("and is a refund: it is replaced like a fill", () =>
    Effect.gen(function*() {
      const { alphaNode, chains: { alpha, solver }, key, url } = yield* Running
      const refundTo = "0x000000000000000000000000000000000000fe08"
      const quoted = yield* ask(7, { refundTo, refundOnOrigin: true, referrer: "force-refund" })
      const raws = recordBroadcasts(alphaNode)
      yield* holdMining(alpha)
      yield* sendRaw(alpha, yield* signDeposit(alpha, key(7), quoted))
      yield* alpha.mine()
      const { first, offered, second } = yield* untilReplaced(alpha, solver, raws)
      assertReplaces(first, second)
      yield* eventually("the pool holds the replacement alone", pooled(alpha, solver), (waiting) =>
        waiting.map(({ hash }) =>
          hash
        ).join() === keccak256(second))
      yield* mineAt(alpha, offered + 1n)
      const end = yield* ended(url, quoted)
      yield* resumeMining(alpha)
      alphaNode.tellTheTruth()
      assert.strictEqual(end.status, "refund")
      const refunds = yield* paymentsOf(alpha, solver, quoted)
      assert.deepStrictEqual(refunds.map(({ hash }) => hash), [keccak256(second)])
      assert.strictEqual(yield* balanceOf(alpha, refundTo), refunds[0]?.value)
    }))

  it.effect("at the fee limit stays as it is, with one alarm, and is paid when blocks cost less", () =>
    Effect.scoped(Effect.gen(function*() {
      const { betaNode, chains: { alpha, beta, solver }, host, key, startInstance } = yield* Running
      yield* host.stop
      const { output, url } = yield* startInstance({ MAX_FEE_FACTOR: "1" })
      const recipient = "0x000000000000000000000000000000000000fe09"
      const user = privateKeyToAccount(key(8)).address
      const quoted = yield* quote(url, nativeRequest(user, alpha, beta, parseEther("0.05"), { recipient }))
      const raws = recordBroadcasts(betaNode)
      yield* holdMining(beta)
      yield* sendDeposit(alpha, key(8), quoted)
      yield* eventually("a payment is in the pool", pooled(beta, solver), (waiting) => waiting.length === 1)
      const { maxFeePerGas = 0n } = parseTransaction(raws[0] ?? "0x")
      yield* priceOut(beta, maxFeePerGas, Effect.map(alarms(url, "payment-stuck"), (count) => count > 0))
      yield* eventually("the log says so", Effect.sync(output), (text) => text.includes("its fee is at the limit"))
      yield* mineAt(beta, maxFeePerGas + 1n)
      yield* Effect.sleep(600)
      assert.strictEqual(yield* alarms(url, "payment-stuck"), 1)
      yield* eventually("it is in the pool still", pooled(beta, solver), (waiting) => waiting.length === 1)
      assert.lengthOf(raws, 1)
      yield* mineAt(beta, 1_000n)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* resumeMining(beta)
      yield* assertDelivered({ beta }, quoted, recipient)
      assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 1)
    })))

  it.effect("that nodes refuse in words of their own raises an alarm after a while, without the words, and is paid when they take it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { betaNode, chains: { alpha, beta, solver }, host, key, startInstance } = yield* Running
      yield* host.stop
      const { output, url } = yield* startInstance()
      const recipient = "0x000000000000000000000000000000000000fe0a"
      const user = privateKeyToAccount(key(9)).address
      const quoted = yield* quote(url, nativeRequest(user, alpha, beta, parseEther("0.05"), { recipient }))
      betaNode.lie((call, truth) =>
        call.method === "eth_sendRawTransaction"
          ? Promise.resolve({
            error: { code: -32_000, message: "tx fee (1.50 ether) exceeds the configured cap (1.00 ether)" }
          })
          : truth()
      )
      yield* sendDeposit(alpha, key(9), quoted)
      yield* eventually("the alarm", alarms(url, "payment-refused"), (count) => count > 0)
      yield* eventually("it is delayed", status(url, quoted), (answer) => answer.status === "delayed")
      assert.include(output(), "for a reason that this service does not know")
      assert.notInclude(output(), "configured cap")
      betaNode.tellTheTruth()
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* assertDelivered({ beta }, quoted, recipient)
      assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 1)
      assert.strictEqual(yield* alarms(url, "payment-refused"), 1)
    })))
})
